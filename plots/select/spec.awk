# Selects the rows that one chart shows and writes them as a gnuplot script: definitions, then the data.
#     cat plots/select/*.awk >select.awk; awk -f scripts/csv.awk -f select.awk FILE.csv...
# Environment: chart is the chart's file and spec its text, lists the text of plots/variants; csv is the file whose devices get a
# picture each, or empty for one picture that compares the devices of all files; work is a folder for the scripts; published is
# a file of published figures or empty.
# For each script a line "NUMBER SUFFIX" goes to standard output: the script is work/NUMBER.gp, and SUFFIX distinguishes several
# devices of one file.
#
# The chart's own comment lines say what it shows:
#     # probe: NAME              the CSV file's name
#     # variants: A B* !BAD      rows of these variants: A, all that begin with B, but not BAD; @NAME stands for a line of
#                                plots/variants, !@unpublished leaves out those that the published table lacks
#     # yardsticks: A B          variants that are drawn not as bars but as levels to compare with
#     # scope: device compare    which pictures to draw: one for each device, one that compares all devices
#     # where: COLUMN=A|B ...    rows whose column has one of these values, or is empty
#     # series: COLUMN           the column that distinguishes lines, or sets of bars
#     # groups: NAME=A|B C ...   the series: rows whose series column is A or B belong to NAME, those of C to C, others are
#                                not shown; also the order of the series. Without it kernel is 'all'
#     # rows: COLUMN ...         the position of a point; the last one is x. An x that is not a number, such as variant, gets
#                                the positions 1, 2 ... in the order of the file
#     # values: COLUMN ...       its values; the first one is y, and a row without it is left out
#     # column: NAME = EXPRESSION     a column that only this chart has: see columns.awk
#     # points: N                with fewer different x no picture is drawn (2 for lines of series.gp, otherwise 1)
#     # same: COLUMN ...         all rows of the picture agree on these: see rows.awk
#     # alike: COLUMN ...        all rows of one device agree on these; devices that are compared may differ
#     # sources: one             rows of one source: measured, or predicted if none is measured
#     # relative: COLUMN=VALUE   the row of the same line that relative(NAME) is a percentage of
#     # published: FILE          a table of results/published to show too
#     # picture: cells          how a page of report draws a chart that is not drawn by one of series.gp, bars.gp, stack.gp,
#                                scaling.gp, steps.gp and matrix.gp: as cells or as columns
#     # counts: all              the values are the model's counts in every row, so that all rows count as predicted
#
# The script defines: subtitle, of_cpu, settings (what all rows have in common), left_out (which rows are not shown); arrays
# series (names), source and peak (GB/s), with one element per series; measured, predicted and published, whether there are such
# rows; marks, the warnings of hollow points; x_values and x_names; x_min, x_max, y_min, y_max, and y1_min, y1_max ... of each
# value alone, if there are any; and $data, with the blocks "measured:I:", "predicted:I:", "published:I:" and "marked:I:" of
# series I.

function read_spec(    i, count, line, text, key) {
    count = split(ENVIRON["spec"], line, "\n")
    for (i = 1; i <= count; i++) {
        text = line[i]
        if (match(text, /^# [a-z]+: /)) {
            key = substr(text, 3, RLENGTH - 4)
            text = substr(text, RLENGTH + 1)
            if (key == "column") {
                define(text)
            } else {
                spec[key] = text
            }
        }
    }
    points = "points" in spec ? spec["points"] + 0 : ENVIRON["spec"] ~ /load 'series.gp'/ ? 2 : 1
    read_patterns()
    yardsticks = split(spec["yardsticks"], yardstick, " ")
    for (i = 1; i <= yardsticks; i++) {
        yardstick_index[yardstick[i]] = i
    }
    conditions = split(spec["where"], condition, " ")
    row_columns = split(spec["rows"], row_column, " ")
    value_columns = split(spec["values"], value_column, " ")
    same_columns = split(spec["same"], same_column, " ")
    alike_columns = split(spec["same"] " " spec["alike"], alike_column, " ")
    x_column = row_column[row_columns]
    split(spec["relative"], reference, "=")
    read_groups()
    read_settings()
}

# Puts the lists of variants in place of their names.
function read_patterns(    i, j, count, lists, name, line) {
    count = split(spec["variants"], name, " ")
    lists = split(ENVIRON["lists"], line, "\n")
    for (i = 1; i <= count; i++) {
        for (j = 1; j <= lists; j++) {
            if (name[i] ~ /^@/ && index(line[j], substr(name[i], 2) ": ") == 1) {
                name[i] = substr(line[j], length(name[i]) + 2)
            }
        }
        spec["patterns"] = spec["patterns"] " " name[i]
    }
    patterns = split(spec["patterns"], pattern, " ")
}

function read_groups(    i, j, count, members, name, side, member) {
    count = split(spec["groups"], name, " ")
    for (i = 1; i <= count; i++) {
        if (split(name[i], side, "=") == 1) {
            side[2] = side[1]
        }
        members = split(side[2], member, "|")
        for (j = 1; j <= members; j++) {
            group_of[member[j]] = side[1]
        }
        group_order[side[1]] = i
    }
}

# The columns that say how a row was run, except for those that the chart shows.
function read_settings(    i, count, name, shown, text) {
    for (i = 1; i <= row_columns; i++) {
        text = row_column[i]
        gsub(/^number[(]|[)]$/, "", text)
        shown[text] = 1
    }
    shown[spec["series"]] = 1
    if (x_column == "offset_bytes") {
        shown["offset"] = 1
    }
    count = split(spec["probe"] == "links" ? "direction footprint_bytes from to" : \
                  "type width_bytes vertices edges elements tile block devices stride offset group op", name, " ")
    for (i = 1; i <= count; i++) {
        if (!(name[i] in shown)) {
            setting[++settings] = name[i]
        }
    }
}

function fits(variant, text) {
    return sub(/[*]$/, "", text) ? substr(variant, 1, length(text)) == text : variant == text
}

# Whether the chart names this variant, even if it leaves it out in the end.
function is_named(variant,    i, found) {
    if (!(variant in named)) {
        found = variant in yardstick_index
        for (i = 1; i <= patterns && !found; i++) {
            found = fits(variant, pattern[i])
        }
        named[variant] = found
    }
    return named[variant]
}

# Whether the chart shows this variant.
function is_listed(variant,    i, found) {
    if (!(variant in listed)) {
        found = is_named(variant)
        for (i = 1; i <= patterns; i++) {
            if (fits(variant, pattern[i])) {
                found = 1
            } else if (pattern[i] == "!@unpublished" ? !(variant in published_variant) : \
                       substr(pattern[i], 1, 1) == "!" && fits(variant, substr(pattern[i], 2))) {
                found = 0
                break
            }
        }
        listed[variant] = found
    }
    return listed[variant]
}

# The variant's name without the beginning that all variants of its pattern share.
function short_name(variant,    i, text) {
    for (i = 1; i <= patterns; i++) {
        text = pattern[i]
        if (text ~ /^[^!].*[*]$/ && fits(variant, text)) {
            return substr(variant, length(text))
        }
    }
    return variant
}

# Whether the row meets the chart's conditions on one column, or all of them.
function meets_conditions(r, column,    i, side) {
    for (i = 1; i <= conditions; i++) {
        split(condition[i], side, "=")
        if ((column == "" || side[1] == column) && value[r, side[1]] != "" &&
            index("|" side[2] "|", "|" value[r, side[1]] "|") == 0) {
            return 0
        }
    }
    return 1
}
