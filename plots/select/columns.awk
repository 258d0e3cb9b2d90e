# The columns of a row: those of its file, and computed ones. An expression is a product of columns and numbers, evaluated from
# left to right (100*valu_active_threads/64). Of several expressions with bars between them the first one counts whose columns
# are all there (time_ns|1e6*time_ms). relative(NAME) is NAME in percent of the row that the chart's key "relative" names.
# number(NAME) is the number of the device that the column NAME holds, 1 of cuda:1.

# Columns that several charts need.
function define_columns() {
    define("bandwidth_low = useful_bytes/time_ns_max|bandwidth_gb_s")
    define("bandwidth_high = useful_bytes/time_ns_min|bandwidth_gb_s")
    define("one_way_low = useful_bytes/time_ns_max|one_way_gb_s")
    define("one_way_high = useful_bytes/time_ns_min|one_way_gb_s")
    define("offset_bytes = offset*width_bytes")
    define("speed = 1e9/time_ns_median|1e9/time_ns|1e3/time_ms") # runs per second
}

# define "NAME = EXPRESSION"
function define(text,    at) {
    at = index(text, " = ")
    expression[substr(text, 1, at - 1)] = substr(text, at + 3)
}

# A row's value of a column; empty if it is unknown.
function known(r, column,    base) {
    if (column == "device") {
        return part[r]
    }
    if (column in expression) {
        return evaluate(r, expression[column])
    }
    if (column !~ /[(*\/|]/) {
        return value[r, column]
    }
    if (column ~ /^number[(][^()]*[)]$/) {
        return device_number(value[r, substr(column, 8, length(column) - 8)])
    }
    if (column ~ /^relative[(][^()]*[)]$/) {
        column = inside(column)
        base = reference_of[line_of(r), column]
        return base + 0 > 0 && known(r, column) != "" ? 100 * known(r, column) / base : ""
    }
    return evaluate(r, column)
}

# 1 of "cuda:1"; empty if it is not a device.
function device_number(text) {
    return sub(/^[a-z]+:/, "", text) ? text + 0 : ""
}

# What is inside relative(...).
function inside(column) {
    return substr(column, 10, length(column) - 10)
}

function evaluate(r, text,    i, count, choice, result) {
    count = split(text, choice, "|")
    for (i = 1; i <= count && result == ""; i++) {
        result = product(r, choice[i])
    }
    return result
}

function product(r, text,    i, count, term, amount, result) {
    gsub(/[*\/]/, " & ", text)
    count = split(text, term, " ")
    for (i = 1; i <= count; i += 2) {
        amount = term[i] ~ /^[0-9]/ ? term[i] : known(r, term[i])
        if (amount == "" || (term[i - 1] == "/" && amount + 0 == 0)) {
            return ""
        }
        result = i == 1 ? amount : term[i - 1] == "/" ? result / amount : result * amount
    }
    return result
}

# The name of a row's series.
function series_of(r) {
    return spec["groups"] != "" ? group_of[value[r, spec["series"]]] : known(r, spec["series"])
}

# A key that the rows of one line share: everything but x.
function line_of(r,    i, text) {
    text = file_of[r] SUBSEP origin_of(r) SUBSEP part[r] SUBSEP series_of(r)
    for (i = 1; i < row_columns; i++) {
        text = text SUBSEP known(r, row_column[i])
    }
    return text
}

# A key that the rows at one point share.
function point_of(r) {
    return line_of(r) SUBSEP known(r, x_column)
}

# Where the values of a row come from: measured, predicted or published.
function origin_of(r) {
    return spec["counts"] == "all" && value[r, "source"] == "measured" ? "predicted" : value[r, "source"]
}

# The warnings that a row carries; empty if there are none. A prediction carries none, because nothing was run.
function mark_of(r,    text) {
    text = origin_of(r) == "measured" ? value[r, "verdict"] : ""
    text = text (value[r, "verified"] == "no" ? "+wrong-result" : "")
    gsub(/ok|noisy/, "", text)
    gsub(/[+]+/, "+", text)
    sub(/^[+]/, "", text)
    sub(/[+]$/, "", text)
    return text
}

# Finds the rows that relative columns refer to, among those that are kept.
function find_references(    r, name, i, count, seen) {
    for (name in expression) {
        seen[++count] = expression[name]
    }
    for (i = 1; i <= value_columns; i++) {
        seen[++count] = value_column[i]
    }
    for (i = 1; i <= count; i++) {
        name = seen[i]
        while (match(name, /relative[(][^()]*[)]/)) {
            refer(inside(substr(name, RSTART, RLENGTH)))
            name = substr(name, RSTART + RLENGTH)
        }
    }
}

function refer(column,    r) {
    for (r = 1; r <= rows; r++) {
        if ((r in kept) && value[r, reference[1]] == reference[2]) {
            reference_of[line_of(r), column] = known(r, column)
        }
    }
}
