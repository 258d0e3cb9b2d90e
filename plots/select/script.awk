# Writes one picture's gnuplot script.

# The text in gnuplot's single quotes.
function in_quotes(text) {
    gsub(/[\001-\037]/, " ", text)
    gsub(/'/, "''", text)
    return "'" text "'"
}

function number(text) {
    return text == "" ? "NaN" : text
}

function write_array(name, element,    i, text) {
    for (i = 1; i <= count_of_series; i++) {
        text = text (i > 1 ? ", " : "") element[i]
    }
    printf "array %s[%d] = [%s]\n", name, count_of_series, text > script
}

function write_series(    i, title, kind, peak) {
    find_peaks()
    for (i = 1; i <= count_of_series; i++) {
        title[i] = in_quotes(cut(series_title(series_name[i]), 36))
        kind[i] = "'" sources_of(i) "'"
        peak[i] = number(peak_of[i])
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

# Writes one block. An empty line breaks the line through its points.
function write_block(kind, series,    i, j, r, written, text) {
    printf "# %s:%d:\n", kind, series > script
    for (i = 1; i <= picked_count; i++) {
        r = picked[i]
        if (series_at[r] != series || (kind == "marked") != (mark_of(r) != "") || (kind != "marked" && origin_of(r) != kind)) {
            continue
        }
        printf "%s", (written && (r in after_gap) ? "\n" : "") > script
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
    print "subtitle = " in_quotes(subtitle_text(id)) > script
    print "of_cpu = " is_of_cpu() > script
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
