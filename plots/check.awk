# Checks a CSV file of results. If something is wrong, says so in one line on standard error and ends with status 2.
#     awk -f scripts/csv.awk -f plots/check.awk FILE

function complain(line, what) {
    print "plots: " ARGV[1] ":" line ": " what ": run the probe again" | "cat 1>&2"
    close("cat 1>&2")
    failed = 1
    exit 2
}

function is_number(text) {
    return text ~ /^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$/
}

function holds_numbers(column) {
    return column ~ /_(gb_s|pct|bytes|mhz|median|min|max|conflicts|per_request)$/ || column ~ /^(stride|offset|passes)$/
}

$0 == "" { next }

gsub(/"/, "\"") % 2 { complain(FNR, "a quote is opened and not closed") }

fields != columns { complain(FNR, fields " fields, where the header has " columns) }

{
    for (name in row) {
        if (row[name] != "" && holds_numbers(name) && !is_number(row[name])) {
            complain(FNR, name " is '" row[name] "', not a number")
        }
    }
}

END {
    if (failed) {
        exit 2
    }
    if (!columns) {
        complain(1, "there is no header line")
    }
    for (i = 1; i <= columns; i++) {
        is_there[header[i]] = 1
    }
    needed = split("probe variant device source", name_of, " ")
    for (i = 1; i <= needed; i++) {
        if (!(name_of[i] in is_there)) {
            complain(1, "the header has no column " name_of[i])
        }
    }
}
