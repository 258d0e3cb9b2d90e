# Lays out a program's --help as a manual page:
#   build/gmem --help | awk -v name=bankshot-gmem -v version=0.1.0 -f scripts/manual.awk

function escape(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/\t/, " ", text)
    sub(/^[.']/, "\\\\\\&&", text)
    return text
}

function section(title) {
    print ".SH " toupper(title)
    titled = title
}

function trim(text) {
    gsub(/^ +| +$/, "", text)
    return text
}

BEGIN {
    printf ".TH %s 1 \"\" \"bankshot %s\" \"bankshot manual\"\n", toupper(name), version
}

/^[Uu]sage:/ {
    usage = $0
    sub(/^[^:]*: *[^ ]+ */, "", usage)
    next
}

# Everything before the first table of options or indented text describes the program; its first line is its summary.
!summary && NF {
    summary = trim($0)
    section("name")
    print name " \\- " escape(summary)
    section("synopsis")
    print ".B " name
    print escape(usage)
    section("description")
    print escape(toupper(substr(summary, 1, 1)) substr(summary, 2)) (summary ~ /\.$/ ? "" : ".")
    next
}

!NF {
    print ".PP"
    next
}

/^[A-Za-z].*:$/ {
    section(substr($0, 1, length($0) - 1))
    next
}

# An option: the word or words up to two spaces, then what it means.
/^ +-/ {
    text = trim($0)
    gap = match(text, /  +/)
    print ".TP"
    print ".B " escape(gap ? substr(text, 1, gap - 1) : text)
    if (gap)
        print escape(trim(substr(text, gap)))
    next
}

{ print escape(trim($0)) }

END {
    section("exit status")
    print "0: every row measured and verified; 1: a row failed, the rows so far kept; 2: usage; 3: no such device or backend."
    section("see also")
    print "The column names of the CSV: docs/csv.md; how time is measured: docs/method.md."
}
