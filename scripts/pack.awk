# For pack.sh, in front of csv.awk: checks the rows of one CSV. A line of output is KIND, TAB, TEXT: `fault` with its line of the file,
# `foreign` if the file has no rows of bankshot's, or what the README says of the file: `summary`, `device`, `driver`, `version`, `date`.
# SCHEMA: the last schema of rows that this version knows.

function fault(what) {
    printf "fault\t%d: %s\n", FNR, what
}

function is_number(text) {
    return text ~ /^-?[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?$/
}

# A unit at the end of a column's name says that it holds numbers.
function holds_numbers(name) {
    return name ~ /_(ns|pct|mhz|gb_s|bytes|cycles)$/ || name ~ /^time_ns_/ || name ~ /^(samples|elements|vertices|requests|sectors|passes)$/
}

function value(name) {
    return name in place ? field[place[name]] : ""
}

function check_header(    i, n, names) {
    for (i = 1; i <= columns; i++)
        if (place[name[i]] != i) fault("the column " name[i] " is there twice")

    n = split("probe variant backend device source verdict", names, " ")
    for (i = 1; i <= n; i++)
        if (!(names[i] in place)) fault("there is no column " names[i])
    if (!("bankshot" in remark)) fault("no line of the metadata says which version wrote it: # bankshot: ...")
    if (!("command" in remark)) fault("no line of the metadata has the command")
    if ("schema" in remark && remark["schema"] !~ /^[0-9]+$/) fault("its schema is no number: " remark["schema"])
    if (remark["schema"] + 0 > SCHEMA) fault("its rows have schema " remark["schema"] ", and this version knows " SCHEMA)
}

# What is never below 0.
function counts(name) {
    return name ~ /_(mhz|gb_s|bytes|cycles)$/ || name ~ /^time_ns_/ || name ~ /^(samples|elements|vertices|requests|sectors|passes|stride|width_bytes)$/
}

function known_verdict(verdict,    i, n, words) {
    n = split(verdict, words, "+")
    for (i = 1; i <= n; i++)
        if (index(" ok noisy drifting waited throttled above-peak cache-resident unverified ", " " words[i] " ") == 0) return 0
    return n > 0
}

function check_row(    i, low, high) {
    if (fields != columns) {
        fault(fields " fields, and the header has " columns)
        return
    }
    for (i = 1; i <= columns; i++)
        if (field[i] != "" && holds_numbers(name[i]) && !is_number(field[i])) fault(name[i] " is no number: " field[i])
        else if (field[i] ~ /^-/ && counts(name[i])) fault(name[i] " is below 0: " field[i])
    if (value("probe") == "" || value("variant") == "" || value("device") == "") fault("it does not say what was run on what")
    if (value("source") != "measured" && value("source") != "predicted") fault("source is neither measured nor predicted: " value("source"))
    if (value("verified") == "no") fault("the result was wrong: verified is no")
    if (value("verdict") == "") fault("it has no verdict")
    else if (!known_verdict(value("verdict"))) fault("this version knows no such verdict: " value("verdict"))
    if (index(" gmem smem reduce apsp apsp-mpi levels links ", " " value("probe") " ") == 0) fault("this version knows no such probe: " value("probe"))
    if (value("verdict") ~ /above-peak/ && value("verdict") !~ /cache-resident/) fault("it is faster than the memory's peak: its verdict is " value("verdict"))
    else if (value("verdict") !~ /above-peak|cache-resident/ && value("peak_gb_s") != "" && value("bandwidth_gb_s") + 0 > value("peak_gb_s") + 0)
        fault("it is faster than its peak, and its verdict does not say so: bandwidth_gb_s " value("bandwidth_gb_s"))
    low = value("time_ns_min"); high = value("time_ns_max")
    if (low != "" && high != "" && (low + 0 > value("time_ns_median") + 0 || value("time_ns_median") + 0 > high + 0))
        fault("time_ns_median is not between time_ns_min and time_ns_max")
}

FNR == 1 { sub(/^\357\273\277/, "") } # a byte order mark
{ sub(/\r$/, "") }
/^#/ && !columns {
    key = $0
    sub(/^# */, "", key)
    text = key
    if (!sub(/^[^:]*(:[0-9]+ [^:]*)?: /, "", text)) next
    key = substr(key, 1, length(key) - length(text) - 2)
    remark[key] = text
    if (key ~ / driver$/ && text != "") print "driver\t" text
    next
}
!columns {
    columns = split_csv($0, name)
    for (i = 1; i <= columns; i++) place[name[i]] = i
    if (!("probe" in place) || !("variant" in place)) {
        foreign = 1
        print "foreign\t" (("bankshot" in remark) ? "no table of a probe" : "not written by bankshot")
        exit
    }
    check_header()
    next
}
{
    fields = split_csv($0, field)
    check_row()
    rows++
    count[value("verdict")]++
    if (!(value("device") in devices)) {
        devices[value("device")] = 1
        print "device\t" value("device") (value("source") == "predicted" ? " (predicted)" : "")
    }
}
END {
    if (foreign) exit
    if (!columns) { print "foreign\tthere is no row in it"; exit }
    if (!rows) fault("there is no row")
    for (verdict in count) said = said (said == "" ? "" : ", ") count[verdict] " " verdict
    print "version\t" remark["bankshot"]
    print "date\t" substr(remark["date"], 1, 10)
    print "summary\t" rows " | " said
}
