# Turns a program's --help into a manual page:
#   build/gmem --help | awk -v name=bankshot-gmem -v version=0.1.0 -f scripts/manual.awk
# The help consists of "gmem: summary", usage, options, a note on their values ("LIST is ...", "N takes ..."), a description, tables under "Title:", and
# "Exit status: ...". A table's rows are indented by two, with at least two spaces between the term and its meaning.

function escape(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/^ +| +$/, "", text)
    if (text ~ /^[.']/)
        text = "\\&" text
    return text
}

# Appends a line to a section of the page.
function put(section, line) {
    text[section] = text[section] line "\n"
    blank = 0
}

# Appends a table's row: the term, then its meaning.
function put_row(section, row,    gap) {
    sub(/^ +/, "", row)
    gap = match(row, /   *[^ ]/)
    put(section, ".TP\n.B " escape(gap ? substr(row, 1, gap - 1) : row))
    if (gap)
        put(section, escape(substr(row, gap)))
}

function flush_section(title) {
    if (title in text)
        printf ".SH %s\n%s", toupper(title), text[title]
    delete text[title]
}

NR == 1 {
    sub(/^[^:]*: */, "")
    summary = $0
    next
}
# "Usage: gmem [OPTION]...", or lines "  lanes --gpu ..." above the options.
/^Usage:/ || (/^  [a-z]/ && section == "") {
    sub(/^(Usage:)? *[^ ]+ */, "")
    put("synopsis", (("synopsis" in text) ? ".br\n" : "") ".B " name "\n" escape($0))
    next
}
/^ ? ?-/ {
    section = "options"
    put_row(section, $0)
    next
}
/^[A-Z][a-z ]*:$/ {
    section = substr($0, 1, length($0) - 1)
    order[++sections] = section
    next
}
/^Exit status: / {
    section = "exit status"
    put(section, escape(substr($0, length("Exit status: ") + 1)))
    next
}
!NF {
    blank = 1
    next
}
/^  ?[^ ]/ && section != "options" {
    put_row(section, $0)
    next
}
/^[^ ]/ && blank {
    section = /^(LIST is|N takes) / ? "options" : "description"
    if (section in text)
        put(section, ".PP")
}
{ put(section, escape($0)) }

END {
    printf ".TH %s 1 \"\" \"bankshot %s\" \"bankshot manual\"\n", toupper(name), version
    printf ".SH NAME\n%s \\- %s\n", name, escape(summary)
    if (!("description" in text))
        put("description", escape(toupper(substr(summary, 1, 1)) substr(summary, 2) "."))
    if (!("exit status" in text))
        put("exit status", "0 done, 1 failed, 2 usage, 3 no such device.")
    flush_section("synopsis")
    flush_section("description")
    flush_section("options")
    for (s = 1; s <= sections; s++)
        flush_section(order[s])
    flush_section("exit status")
}
