# Writes one picture as a line of JSON, in place of plots/select/script.awk, which writes a gnuplot script:
#   chart, file   the chart's name; the number of the file whose device it shows, 0 for a comparison
#   kind          what draws it: series, bars, stack, scaling, steps, matrix, cells or columns
#   settings      what the chart sets before it is drawn: title, xlabel, log_y ...
#   subtitle, common, left_out   texts; of_cpu is 1 if it shows a CPU
#   series        [name, peak in GB/s or null]
#   positions     [position, name] of each x that is not a number; those after `bars` are yardsticks
#   marks         [series, source, file, row, warnings, rows..., values...], counted from 1; source 0 is measured, 1 predicted, 2
#                 published, which has file 0
#   gaps          the marks, counted from 0, that the line from the mark before does not reach

function in_json(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    gsub(/[\001-\037\177]/, " ", text)
    return "\"" text "\""
}

# A number, text, or null.
function json_value(text,    digits) {
    if (text == "") {
        return "null"
    }
    if (text !~ /^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$/) {
        return in_json(text)
    }
    digits = sprintf("%.10g", text + 0)
    return digits ~ /^-?[0-9][0-9.]*(e[-+]?[0-9]+)?$/ ? digits : "null"
}

function field(name, text) {
    return in_json(name) ":" text ","
}

# The number of a file among the arguments; 0 for published figures.
function file_number(name,    i) {
    for (i = 1; i < ARGC && ARGV[i] != name; i++) {
    }
    return name == ENVIRON["published"] || i == ARGC ? 0 : i
}

# Reads the statements NAME = VALUE, set NAME VALUE and if (SOURCE) NAME = VALUE into setting_value, and the kind of the chart.
function read_statements(has,    i, count, line, text, condition) {
    split("", setting_value)
    kind = spec["picture"]
    count = split(ENVIRON["spec"], line, "\n")
    for (i = 1; i <= count; i++) {
        text = line[i]
        if (text ~ /^load '(series|bars|stack|scaling|steps|matrix)[.]gp'/) {
            kind = text
            gsub(/^load '|[.]gp'.*/, "", kind)
        }
        condition = ""
        if (text ~ /^if \((measured|predicted)\) /) {
            condition = substr(text, 5, index(text, ")") - 5)
            text = substr(text, index(text, ")") + 2)
        }
        if (condition == "" || (condition in has)) {
            read_statement(text)
        }
    }
}

function read_statement(text,    name) {
    sub(/^set /, "", text)
    sub(/^format x/, "format_x", text)
    name = text
    sub(/[ =].*/, "", name)
    sub(/^[a-z0-9_]+ *=? */, "", text)
    if (text ~ /^'[^']*(''[^']*)*'$/) {
        text = substr(text, 2, length(text) - 2)
        gsub(/''/, "'", text)
        setting_value[name] = in_json(text)
    } else if (text ~ /^-?[0-9.]+$/) {
        setting_value[name] = json_value(text)
    }
}

function write_settings(    name, text) {
    for (name in setting_value) {
        text = text (text == "" ? "" : ",") in_json(name) ":" setting_value[name]
    }
    return "{" text "}"
}

function write_series(    i, text) {
    find_peaks()
    for (i = 1; i <= count_of_series; i++) {
        text = text (i > 1 ? "," : "") "[" in_json(series_title(series_name[i])) "," json_value(peak_of[i]) "]"
    }
    return "[" text "]"
}

# Asking for the position of a published variant that the device did not run has left an empty one.
function write_positions(    name, text) {
    for (name in x_position) {
        if (x_position[name] != "") {
            text = text (text == "" ? "" : ",") "[" x_position[name] "," in_json(short_name(name)) "]"
        }
    }
    return "[" text "]"
}

function write_columns(list, count,    i, text) {
    for (i = 1; i <= count; i++) {
        text = text (i > 1 ? "," : "") in_json(list[i])
    }
    return "[" text "]"
}

function write_mark(r,    i, text) {
    text = "[" series_at[r] "," (origin_of(r) == "measured" ? 0 : origin_of(r) == "predicted" ? 1 : 2) "," \
        file_number(file_of[r]) "," row_in_file[r] "," in_json(mark_of(r))
    for (i = 1; i < row_columns; i++) {
        text = text "," json_value(known(r, row_column[i]))
    }
    text = text "," position[r, row_columns]
    for (i = 1; i <= value_columns; i++) {
        text = text "," json_value(known(r, value_column[i]))
    }
    return text "]"
}

function write_gaps(    i, text) {
    for (i = 1; i <= picked_count; i++) {
        if (picked[i] in after_gap) {
            text = text (text == "" ? "" : ",") i - 1
        }
    }
    return "[" text "]"
}

function write_script(id,    i, name, has) {
    for (i = 1; i <= picked_count; i++) {
        has[origin_of(picked[i])] = 1
    }
    read_statements(has)
    name = ENVIRON["chart"]
    sub(/^.*\//, "", name)
    sub(/[.]gp$/, "", name)
    scripts++
    printf "{%s", field("chart", in_json(name)) field("file", ENVIRON["csv"] == "" ? 0 : file_number(ENVIRON["csv"])) \
        field("kind", in_json(kind)) field("settings", write_settings()) field("subtitle", in_json(subtitle_text(id))) field("of_cpu", is_of_cpu()) \
        field("common", in_json(settings_text())) field("left_out", in_json(left_out())) field("series", write_series()) \
        field("by", in_json(spec["series"])) field("rows", write_columns(row_column, row_columns)) \
        field("values", write_columns(value_column, value_columns)) \
        field("gaps", write_gaps()) field("bars", x_is_name ? x_positions : 0) field("positions", x_is_name ? write_positions() : "[]")
    printf "\"marks\":["
    for (i = 1; i <= picked_count; i++) {
        printf "%s%s", (i > 1 ? "," : ""), write_mark(picked[i])
    }
    print "]}"
}
