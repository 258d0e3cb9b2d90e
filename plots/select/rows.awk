# Selects the rows of a picture: only rows that differ in nothing but what the picture shows. The others are left out, and the
# picture says so.
#   - Rows of a picture agree on the chart's columns "same", and rows of a device also on those of "alike". The values chosen are
#     those that most points of the picture have, and the largest of several.
#   - If rows still meet at one point and differ in another setting, the value is chosen that most points of their line have. If
#     they differ in none, the last row counts.
#   - A device's picture shows the rows of its own file. A file of predicted rows lends measured rows those that were computed
#     for the same settings. Nothing is lent to predicted rows, because the measured device's picture already has them.

# Whether the chart is about this row. Published figures need not name their variant.
function is_shown(r) {
    if (!meets_conditions(r) || !has_value(r)) {
        return 0
    }
    if (value[r, "source"] == "published") {
        return value[r, "variant"] == "" || is_listed(value[r, "variant"])
    }
    if (value[r, "probe"] != spec["probe"] || !is_listed(value[r, "variant"])) {
        return 0
    }
    if (spec["groups"] != "" && !(value[r, spec["series"]] in group_of)) {
        return 0
    }
    return spec["series"] == "kernel" || spec["where"] ~ /(^| )kernel=/ || value[r, "kernel"] ~ /^(all)?$/
}

# Whether the row has a first value, or the columns that it is computed from.
function has_value(r,    text) {
    text = value_column[1] in expression ? expression[value_column[1]] : value_column[1]
    gsub(/relative[(]|[)]/, "", text)
    return evaluate(r, text) != ""
}

function find_shown(    r) {
    for (r = 1; r <= rows; r++) {
        if (is_shown(r)) {
            shown[r] = 1
            at[r] = point_of(r)
            along[r] = line_of(r)
        }
    }
}

# drop(r, column): leaves the row out because of its value of the column.
function drop(r, column,    v) {
    delete current[r]
    if (column == "" || (r in lent_by)) { # the measured row that carries a prediction counts for both
        return
    }
    if (!(column in dropped)) {
        drop_reason[++drop_reasons] = column
        drop_values[column] = 0
    }
    v = column == "file" ? folder_of(file_of[r]) : column == "elements" ? in_binary(value[r, column]) : known(r, column)
    if (!((column, v) in drop_seen)) {
        drop_value[column, ++drop_values[column]] = v
    }
    drop_seen[column, v] = 1
    dropped[column]++
    dropped_predicted[column] += value[r, "source"] == "predicted"
}

function forget_dropped() {
    split("", dropped)
    split("", dropped_predicted)
    split("", drop_seen)
    drop_reasons = 0
}

# What is left out, in words.
function left_out(    i, column, text) {
    for (i = 1; i <= drop_reasons; i++) {
        column = drop_reason[i]
        text = text (i > 1 ? "; " : "") dropped[column] \
            (dropped[column] == dropped_predicted[column] ? " predicted row" : " row") (dropped[column] > 1 ? "s" : "") \
            (column == "repeated" ? " that a later one repeats" : column == "source" ? "" : \
             column == "file" ? " of " drop_value[column, 1] (drop_values[column] > 1 ? " and others" : "") : \
             column ~ /[*\/]/ ? " with other " column : " with " dropped_list(column))
    }
    return text
}

# The values because of which rows are left out, or their number.
function dropped_list(column,    i, text) {
    if (drop_values[column] > 4) {
        return drop_values[column] " other values of " column
    }
    text = column " "
    for (i = 1; i <= drop_values[column]; i++) {
        text = text (i > 1 ? ", " : "") drop_value[column, i]
    }
    return text
}

function folder_of(file) {
    sub(/\/[^\/]*$/, "", file)
    sub(/^.*\//, "", file)
    return file
}

function is_near(a, b) {
    return a == b || (a ~ /^[0-9.]/ && b ~ /^[0-9.]/ && a <= 1.1 * b && b <= 1.1 * a)
}

# A row's value of a column, as other rows have it: computed values count as the same if they are near each other.
function common_value(r, column,    i, v) {
    v = known(r, column) ""
    if (column !~ /[*\/]/ || v == "") {
        return v
    }
    for (i = 1; i <= met[column] && !is_near(met_value[column, i], v); i++) {
    }
    if (i > met[column]) {
        met_value[column, met[column] = i] = v
    }
    return met_value[column, i]
}

function key_of(r, columns, count,    i, text) {
    for (i = 1; i <= count; i++) {
        text = text (i > 1 ? SUBSEP : "") common_value(r, columns[i])
    }
    return text
}

# Whether the numbers of key a are larger than those of key b, by the first number that differs.
function is_larger(a, b,    i, count, x, y) {
    count = split(a, x, SUBSEP)
    split(b, y, SUBSEP)
    for (i = 1; i <= count && x[i] == y[i]; i++) {
    }
    return i <= count && x[i] + 0 > y[i] + 0
}

# Counts the key of a row: the devices and the points that have it.
function count_key(r, key) {
    if (!(key in key_points)) {
        key_name[++keys] = key
    }
    key_points[key] += !((key, at[r]) in key_seen)
    key_devices[key] += !((key, part[r]) in key_seen)
    key_seen[key, at[r]] = key_seen[key, part[r]] = 1
}

function forget_keys() {
    split("", key_points)
    split("", key_devices)
    split("", key_seen)
    keys = 0
}

# The key that most devices have, then most points, then the largest.
function best_key(    i, key, best) {
    best = keys > 0 ? key_name[1] : ""
    for (i = 2; i <= keys; i++) {
        key = key_name[i]
        if (key_devices[key] != key_devices[best] ? key_devices[key] > key_devices[best] : \
            key_points[key] != key_points[best] ? key_points[key] > key_points[best] : is_larger(key, best)) {
            best = key
        }
    }
    return best
}

# The column in which the row's key differs from another key.
function differs_in(r, key, columns, count,    i, want) {
    split(key, want, SUBSEP)
    for (i = 1; i <= count; i++) {
        if (common_value(r, columns[i]) != want[i]) {
            return columns[i]
        }
    }
    return ""
}

# Keeps the rows of one key.
function hold(key, columns, count,    r, column) {
    for (r = 1; r <= rows && count > 0; r++) {
        if (r in current) {
            column = differs_in(r, key, columns, count)
            if (column != "") {
                drop(r, column)
            }
        }
    }
}

# Keeps one of a file's rows at each point.
function keep_one_row(csv,    i, r, last) {
    for (i = 1; i <= settings; i++) {
        keep_one_value(csv, setting[i])
    }
    for (r = 1; r <= rows; r++) {
        if ((r in current) && file_of[r] == csv) {
            if (at[r] in last) {
                drop(last[at[r]], "repeated")
            }
            last[at[r]] = r
        }
    }
}

function keep_one_value(csv, column,    r, v, first, differs, found, votes, best) {
    for (r = 1; r <= rows; r++) {
        if ((r in current) && file_of[r] == csv) {
            v = value[r, column]
            if (!(at[r] in first)) {
                first[at[r]] = best[at[r]] = v
            } else if (first[at[r]] != v) {
                differs[at[r]] = found = 1
            }
            votes[along[r], v]++
        }
    }
    for (r = 1; r <= rows && found; r++) {
        if ((r in current) && file_of[r] == csv && (at[r] in differs)) {
            v = votes[along[r], value[r, column]] - votes[along[r], best[at[r]]]
            if (v > 0 || (v == 0 && value[r, column] + 0 > best[at[r]] + 0)) {
                best[at[r]] = value[r, column]
            }
        }
    }
    for (r = 1; r <= rows && found; r++) {
        if ((r in current) && file_of[r] == csv && value[r, column] != best[at[r]]) {
            drop(r, column)
        }
    }
}

# In a chart of counts, measured rows repeat what predicted ones say. A chart of one source prefers measured rows.
function keep_one_source(    r, lesser) {
    lesser = spec["counts"] == "all" ? "measured" : spec["sources"] == "one" ? "predicted" : ""
    if (has_own["measured"] && has_own["predicted"] && lesser != "") {
        for (r = 1; r <= rows; r++) {
            if ((r in current) && value[r, "source"] == lesser) {
                drop(r, lesser == "predicted" ? "source" : "")
            }
        }
    }
}

# The column in which a predicted row differs from all measured ones of its series and variant; empty if it is like one of them.
# If the variant was not measured, only the columns on which all rows agree are compared.
function unlike(r,    name, i, j, column, differs, own) {
    differs = differs_in(r, held_key, alike_column, alike_columns)
    if (differs != "" || !(series_of(r) in own_series)) {
        return differs != "" ? differs : spec["series"]
    }
    name = series_of(r) SUBSEP value[r, "variant"]
    for (i = 1; i <= own_settings[name]; i++) {
        own = own_row[name, i]
        column = ""
        for (j = 1; j <= settings && column == ""; j++) {
            if (value[r, setting[j]] != "" && value[own, setting[j]] != "" &&
                !is_near(value[r, setting[j]], value[own, setting[j]])) {
                column = setting[j]
            }
        }
        if (column == "") {
            return ""
        }
    }
    return column
}

# Finds rows of each series and variant that represent all of its settings.
function find_own_settings(    r, i, key, name, seen) {
    split("", own_settings)
    split("", own_series)
    for (r = 1; r <= rows; r++) {
        if (r in current) {
            own_series[series_of(r)] = 1
            key = name = series_of(r) SUBSEP value[r, "variant"]
            for (i = 1; i <= settings; i++) {
                key = key SUBSEP value[r, setting[i]]
            }
            if (!(key in seen)) {
                own_row[name, ++own_settings[name]] = r
            }
            seen[key] = 1
        }
    }
}

# Adds another file's predicted rows of a device that is measured in this file.
function lend(id, csv,    r, lender, column) {
    if (!has_own["measured"] || has_own["predicted"] || spec["sources"] == "one" || spec["counts"] == "all") {
        return
    }
    find_own_settings()
    lender = lender_of(id, csv)
    for (r = 1; r <= rows; r++) {
        if ((r in shown) && part[r] == id && file_of[r] == lender && value[r, "source"] == "predicted") {
            column = unlike(r)
            if (column != "") {
                drop(r, column)
            } else {
                current[r] = 1
            }
        }
    }
    keep_one_row(lender)
}

# The first other file with predicted rows of the device that are like its own, else the first with any.
function lender_of(id, csv,    r, found) {
    for (r = 1; r <= rows; r++) {
        if ((r in shown) && part[r] == id && file_of[r] != csv && value[r, "source"] == "predicted") {
            found = found == "" ? file_of[r] : found
            if (unlike(r) == "") {
                return file_of[r]
            }
        }
    }
    return found
}

# Keeps the rows of one device: those of a file and those lent to them. `same` holds the values of the chart's columns "same", if
# they are given.
function keep_device(id, csv, same,    r) {
    split("", current)
    split("", has_own)
    for (r = 1; r <= rows; r++) {
        if ((r in shown) && part[r] == id && file_of[r] == csv) {
            current[r] = 1
        }
    }
    if (same != "") {
        hold(same, same_column, same_columns)
    }
    for (r in current) {
        has_own[value[r, "source"]] = 1
    }
    keep_one_source()
    forget_keys()
    for (r = 1; r <= rows; r++) {
        if (r in current) {
            count_key(r, key_of(r, alike_column, alike_columns))
        }
    }
    held_key = best_key()
    hold(held_key, alike_column, alike_columns)
    keep_one_row(csv)
    lend(id, csv)
    for (r in current) {
        kept[r] = 1
    }
}

# The file whose rows represent a device in a comparison: one with measured rows before predicted ones, then the one with the
# most, then the last.
function best_file(id, same,    r, f, rank, best) {
    for (r = 1; r <= rows; r++) {
        if ((r in shown) && part[r] == id && (same == "" || key_of(r, same_column, same_columns) == same)) {
            rank[file_of[r]] += value[r, "source"] == "measured" ? 1e6 : 1
        }
    }
    for (f = 1; f <= files; f++) {
        if ((file_name[f] in rank) && (best == "" || rank[file_name[f]] >= rank[best])) {
            best = file_name[f]
        }
    }
    return best
}

# Keeps the rows of all devices that have rows with the settings that most devices have.
function keep_all_devices(    r, i, same, csv) {
    forget_keys()
    for (r = 1; r <= rows; r++) {
        if ((r in shown) && value[r, "source"] != "published") {
            count_key(r, key_of(r, same_column, same_columns))
        }
    }
    same = best_key()
    for (i = 1; i <= parts; i++) {
        csv = best_file(part_id[i], same)
        keep_device(part_id[i], csv, same)
        drop_other_files(part_id[i], csv)
    }
}

# Leaves out the measured rows of a device that another file represents.
function drop_other_files(id, csv,    r) {
    for (r = 1; r <= rows; r++) {
        if ((r in shown) && part[r] == id && file_of[r] != csv && value[r, "source"] == "measured") {
            drop(r, "file")
        }
    }
}
