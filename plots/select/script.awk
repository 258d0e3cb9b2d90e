# Writes one picture's gnuplot script.

# The text, cut after a word to at most `longest` characters.
function cut(text, longest) {
    if (length(text) > longest) {
        text = substr(text, 1, longest - 3)
        sub(/,? [^ ]*$/, "", text)
        text = text "..."
    }
    return text
}

# The text in gnuplot's single quotes.
function in_quotes(text) {
    gsub(/[\001-\037]/, " ", text)
    gsub(/'/, "''", text)
    return "'" text "'"
}

function number(text) {
    return text == "" ? "NaN" : text
}

function sources_of(series,    i, seen, text, kind) {
    split("measured predicted", kind, " ")
    for (i = 1; i <= picked_count; i++) {
        if (series == 0 || series_at[picked[i]] == series) {
            seen[origin_of(picked[i])] = 1
        }
    }
    for (i = 1; i <= 2; i++) {
        text = text (kind[i] in seen ? (text == "" ? "" : " and ") kind[i] : "")
    }
    return text
}

function series_title(name) {
    if (spec["series"] == "device") {
        return part_title[name]
    }
    return spec["series"] ~ /^(width|fetch)_bytes$/ ? name (name == 1 ? " byte" : " bytes") : name
}

# Writes 67108864 as "64 Mi", the way in which the programs take sizes.
function in_binary(amount,    i, unit) {
    split(" Ki, Mi, Gi, Ti", unit, ",")
    for (i = 0; amount >= 1024 && i < 4; i++) {
        amount /= 1024
    }
    return sprintf("%.4g", amount) unit[i]
}

# Finds the least and the largest value of a setting, and whether all rows have the same. Returns how many have one.
function find_setting(column,    i, v, count) {
    split("", extent)
    for (i = 1; i <= picked_count; i++) {
        v = value[picked[i], column]
        if (v != "" && value[picked[i], "source"] != "published") {
            extent["least"] = count == 0 || v + 0 < extent["least"] + 0 ? v : extent["least"]
            extent["most"] = count == 0 || v + 0 > extent["most"] + 0 ? v : extent["most"]
            extent["differ"] = extent["differ"] || (count > 0 && v != extent["first"])
            extent["first"] = count++ == 0 ? v : extent["first"]
        }
    }
    return count + 0
}

# A setting in words. Sizes that differ are a range; another setting is named only if all rows have the same.
function setting_text(column,    least, most) {
    if (!find_setting(column)) {
        return ""
    }
    least = extent["least"]
    most = extent["most"]
    if (column == "elements") {
        least = in_binary(least)
        most = in_binary(most)
    }
    if (column == "footprint_bytes") {
        return least == most ? "transfers of " in_binary(most) "B" : ""
    }
    if (column ~ /^(vertices|elements|devices)$/) {
        return column == "devices" && most == 1 ? "" : (least == most ? "" : least " to ") most " " column
    }
    if (extent["differ"] || (column ~ /^(offset|op|direction)$/) || (column ~ /^(group)$/ && most == 1)) {
        return ""
    }
    return column == "type" ? most : column == "width_bytes" ? most (most == 1 ? " byte" : " bytes") " an element" : \
           column == "edges" ? most " edges" : column == "tile" ? "tiles of " most "x" most : \
           column == "block" ? (most ~ /x/ ? "blocks of " most : "blocks of " most " threads") : column " " most
}

function settings_text(    i, text, one) {
    for (i = 1; i <= settings; i++) {
        one = setting_text(setting[i])
        text = text (text == "" || one == "" ? "" : ", ") one
    }
    return text
}

function write_array(name, element,    i, text) {
    for (i = 1; i <= count_of_series; i++) {
        text = text (i > 1 ? ", " : "") element[i]
    }
    printf "array %s[%d] = [%s]\n", name, count_of_series, text > script
}

function write_series(    i, r, title, kind, peak, s) {
    for (i = 1; i <= count_of_series; i++) {
        title[i] = in_quotes(cut(series_title(series_name[i]), 36))
        kind[i] = "'" sources_of(i) "'"
        peak[i] = "NaN"
    }
    for (i = 1; i <= picked_count; i++) {
        r = picked[i]
        s = series_at[r]
        if (value[r, "peak_gb_s"] + 0 > 0 && (peak[s] == "NaN" || value[r, "source"] == "measured")) {
            peak[s] = value[r, "peak_gb_s"] + 0
        }
    }
    write_array("series", title)
    write_array("source", kind)
    write_array("peak", peak)
}

function widen(range, axis, amount) {
    if (!((axis, "min") in range)) {
        range[axis, "min"] = range[axis, "max"] = amount
    }
    if (amount < range[axis, "min"]) {
        range[axis, "min"] = amount
    }
    if (amount > range[axis, "max"]) {
        range[axis, "max"] = amount
    }
}

function write_ranges(    i, j, y, range) {
    for (i = 1; i <= picked_count; i++) {
        widen(range, "x", position[picked[i], row_columns])
        for (j = 1; j <= value_columns; j++) {
            y = known(picked[i], value_column[j])
            if (y ~ /^[-+.0-9]/) { # a value may be a name
                widen(range, "y", y + 0)
                widen(range, "y" j, y + 0)
            }
        }
    }
    write_range(range, "x")
    write_range(range, "y")
    for (j = 1; j <= value_columns; j++) {
        write_range(range, "y" j)
    }
}

function write_range(range, axis) {
    if ((axis, "min") in range) {
        printf "%s_min = %.10g\n%s_max = %.10g\n", axis, range[axis, "min"], axis, range[axis, "max"] > script
    }
}

# Writes the different x in order, and their names.
function write_x_values(    i, j, count, x, list, name_of, values, names) {
    for (i = 1; i <= picked_count; i++) {
        x = position[picked[i], row_columns]
        name_of[x] = x_is_name ? short_name(known(picked[i], x_column)) : x
        gsub(/ /, "-", name_of[x])
        for (j = count; j > 0 && list[j] > x; j--) {
        }
        if ((j == 0 || list[j] != x) && !(x_is_name && x > x_positions)) {
            for (j = ++count; j > 1 && list[j - 1] > x; j--) {
                list[j] = list[j - 1]
            }
            list[j] = x
        }
    }
    for (i = 1; i <= count; i++) {
        values = values (i > 1 ? " " : "") list[i]
        names = names (i > 1 ? " " : "") name_of[list[i]]
    }
    print "x_values = " in_quotes(values) > script
    print "x_names = " in_quotes(names) > script
}

function write_marks(    i, j, count, word, seen, text) {
    for (i = 1; i <= picked_count; i++) {
        count = split(mark_of(picked[i]), word, "+")
        for (j = 1; j <= count; j++) {
            text = text (word[j] in seen ? "" : (text == "" ? "" : " ") word[j])
            seen[word[j]] = 1
        }
    }
    print "marks = " in_quotes(text) > script
}

# Writes one block. The line through its points breaks where a marked row was taken out.
function write_block(kind, series,    i, j, r, gap, written, text) {
    printf "# %s:%d:\n", kind, series > script
    for (i = 1; i <= picked_count; i++) {
        r = picked[i]
        if (series_at[r] != series || (kind == "marked" ? mark_of(r) == "" : origin_of(r) != kind)) {
            continue
        }
        if (kind != "marked" && mark_of(r) != "") {
            gap = written
            continue
        }
        printf "%s", (gap ? "\n" : "") > script
        gap = 0
        written = 1
        for (j = 1; j < row_columns; j++) {
            printf "%s ", number(known(r, row_column[j])) > script
        }
        printf "%s ", position[r, row_columns] > script
        for (j = 1; j <= value_columns; j++) {
            text = number(known(r, value_column[j]))
            gsub(/ /, "-", text)
            printf "%s%s", text, (j < value_columns ? " " : "\n") > script
        }
    }
    for (j = 1; !written && j <= row_columns + value_columns; j++) {
        printf "NaN%s", (j < row_columns + value_columns ? " " : "\n") > script
    }
    printf "\n\n" > script
}

function write_script(id,    i, j, kind, count, has) {
    script = ENVIRON["work"] "/" ++scripts ".gp"
    print "subtitle = " in_quotes(id == "" ? "" : cut(part_title[id], 45) \
          (part_arch[id] == "" ? "" : " (" cut(part_arch[id], 20) ")") ", " sources_of(0)) > script
    print "settings = " in_quotes(cut(settings_text(), 100)) > script
    print "left_out = " in_quotes(left_out() == "" ? "" : cut("left out: " left_out(), 100)) > script
    write_series()
    write_ranges()
    write_x_values()
    write_marks()
    for (i = 1; i <= picked_count; i++) {
        has[origin_of(picked[i])] = 1
    }
    print "$data << END_OF_DATA" > script
    count = split("measured predicted published marked", kind, " ")
    for (i = 1; i <= count; i++) {
        for (j = 1; j <= count_of_series; j++) {
            write_block(kind[i], j)
        }
    }
    print "END_OF_DATA" > script
    for (i = 1; i < count; i++) {
        printf "%s = %d\n", kind[i], (kind[i] in has) > script
    }
    close(script)
}
