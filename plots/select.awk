# Picks the rows that one chart shows and writes them as a gnuplot script: definitions, then the data.
#     awk -f scripts/csv.awk -f plots/select.awk FILE.csv...
# Environment: chart, the chart's file; csv, the file whose devices get a picture each, or empty for one picture that
# compares the devices of all files; work, a folder for the scripts; published, a file of others' figures or empty.
# For each script a line "NUMBER SUFFIX" goes to standard output: the script is work/NUMBER.gp, SUFFIX tells several
# devices of a file apart. The other files lend a device what its own file lacks: the predicted rows of a part that was
# measured, or the measured rows of one that was predicted.
#
# The chart's own comment lines say what it shows:
#     # probe: NAME              the CSV file's name
#     # variants: A B            rows of these variants, in this order
#     # scope: device compare    which pictures to draw
#     # where: COLUMN=A|B ...    rows whose column is one of these, or empty; where kernel is not named, whole variants
#     # series: COLUMN           what tells one line, or one set of bars, from the next
#     # rows: COLUMN ...         the position of a point; the last one is x
#     # values: COLUMN ...       its values; the first one is y, a row without it is left out
#     # order: A B               of the series, where it is not that of their values
#     # points: N                fewer different x are no picture
#     # alike: COLUMN            rows compare only where it is the same: those of the value that most devices have, or rows
#     # relative: COLUMN=VALUE   the row of the same line that NAME_relative is a percentage of
#     # published: FILE          a table of results/published to show too
#     # counts: all              the values are the model's counts in every row, so they pass for predicted ones;
#     # counts: predicted        or in predicted rows. What a run's timing was like does not touch counts: no marks.
#
# Columns that are computed here: work (what of a whole a kernel's time counts as) and work_rank (the kernel's place
# among all), way (the place of a way between host and device), bandwidth_low and bandwidth_high (from the longest and the shortest time),
# offset_bytes, step (the place of the row's variant in the list), conflict_percent (the cost of a request in percent of
# stride 1: as measured, or by the model's passes), speed (runs a second, by whatever column has the time), lanes_pct
# (active lanes, also where they were published of 64), NAME_per_warp, and NAME_relative.
#
# The script defines: subtitle; arrays series (names), source and peak (GB/s), one element a series; measured, predicted
# and published, whether there are such rows; marks, the verdicts of rows that must not pass for plain results; x_min,
# x_max, y_min, y_max, and y1_min, y1_max ... of each value alone, where there are any; and $data, with the blocks
# "measured:I:", "predicted:I:", "published:I:" and "marked:I:" of series I.

function read_chart(    text, key, i, count, name) {
    while ((getline text < ENVIRON["chart"]) > 0) {
        if (match(text, /^# [a-z]+: /)) {
            key = substr(text, 3, RLENGTH - 4)
            spec[key] = substr(text, RLENGTH + 1)
        }
    }
    close(ENVIRON["chart"])
    variants = split(spec["variants"], variant_name, " ")
    conditions = split(spec["where"], condition, " ")
    row_columns = split(spec["rows"], row_column, " ")
    value_columns = split(spec["values"], value_column, " ")
    x_column = row_column[row_columns]
    split(spec["relative"], reference, "=")
    count = split(spec["order"], name, " ")
    for (i = 1; i <= count; i++) {
        order_of[name[i]] = i
    }
    read_names()
}

# What apsp's kernels are parts of, in the order of a run; its ways between host and device, the plainest first.
function read_names(    i, count, name, side) {
    count = split("read=files init=matrix pin=matrix copy-in=copies pad=padding phase1=phase1 phase2=phase2 phase3=phase3 " \
                  "exchange=exchange unpad=padding copy-out=copies write=files", name, " ")
    for (i = 1; i <= count; i++) {
        split(name[i], side, "=")
        work_of[side[1]] = side[2]
        rank_of[side[1]] = i
    }
    count = split("pageable+kernel+host pinned+kernel+host pinned+copy+host pinned+copy+device", name, " ")
    for (i = 1; i <= count; i++) {
        way_of[name[i]] = i
    }
}

# "NVIDIA GeForce RTX 3080 Ti" and "NVIDIA RTX 3080 Ti 12GB" are one part, "3080 Ti".
function model_of(device,    word, count, i, model) {
    count = split(device, word, /[^A-Za-z0-9]+/)
    for (i = 1; i <= count && model == ""; i++) {
        model = word[i] ~ /[0-9]/ ? toupper(word[i]) : ""
    }
    for (; i <= count; i++) {
        model = model (toupper(word[i]) ~ /^(TI|SUPER|XT|XTX|GRE|D|LAPTOP)$/ ? " " toupper(word[i]) : "")
    }
    return model == "" ? device : model
}

# A part measured and the same part simulated bear names that differ a little: they are told by their model.
function part_of(r,    arch) {
    if (value[r, "backend"] == "cpu") {
        return value[r, "device"]
    }
    arch = value[r, "arch"]
    sub(/:.*/, "", arch)
    return arch " " model_of(value[r, "device"])
}

function vendor_rank(r) {
    return value[r, "backend"] == "cpu" ? 3 : value[r, "device"] ~ /NVIDIA/ || value[r, "arch"] ~ /^sm_/ ? 1 : 2
}

function find_parts(    r, id) {
    for (r = 1; r <= rows; r++) {
        if (value[r, "source"] == "published") {
            continue
        }
        id = part[r] = part_of(r)
        if (!(id in part_title)) {
            part_id[++parts] = id
            part_rank[id] = vendor_rank(r)
        }
        if (!(id in part_title) || value[r, "source"] == "measured") {
            part_title[id] = value[r, "device"]
            sub(/ [(]simulated[)]$/, "", part_title[id]) # a chart says that its rows are predicted
            part_arch[id] = value[r, "arch"]
        }
        if (file_of[r] == ENVIRON["csv"]) {
            own_parts += !(id in own_part)
            own_part[id] = own_source[id, value[r, "source"]] = 1
        }
    }
}

# Whether a row of another file must stay out of this file's pictures.
function is_foreign(r) {
    return ENVIRON["csv"] != "" && file_of[r] != ENVIRON["csv"] && value[r, "source"] != "published" &&
           (!(part[r] in own_part) || (part[r], value[r, "source"]) in own_source)
}

# Where the values of a row come from: measured, predicted or published.
function origin_of(r) {
    return spec["counts"] == "all" && value[r, "source"] == "measured" ? "predicted" : value[r, "source"]
}

# What the rows of one line share: all but x.
function line_of(r,    i, text) {
    text = origin_of(r) SUBSEP part[r] SUBSEP known(r, spec["series"])
    for (i = 1; i < row_columns; i++) {
        text = text SUBSEP known(r, row_column[i])
    }
    return text
}

# A row's column, one of the file or one that is computed; empty if it is not known.
function known(r, column,    base) {
    if (column == "offset_bytes") {
        return value[r, "offset"] == "" ? "" : value[r, "offset"] * value[r, "width_bytes"]
    }
    if (column == "bandwidth_low" || column == "bandwidth_high") {
        base = value[r, column == "bandwidth_low" ? "time_ns_max" : "time_ns_min"]
        return base + 0 > 0 && value[r, "useful_bytes"] + 0 > 0 ? value[r, "useful_bytes"] / base : value[r, "bandwidth_gb_s"]
    }
    if (column == "step") {
        return step_of[value[r, "variant"]]
    }
    if (column == "device") {
        return part[r]
    }
    if (column == "work") {
        return work_of[value[r, "kernel"]]
    }
    if (column == "work_rank") {
        return rank_of[value[r, "kernel"]]
    }
    if (column == "way") {
        return way_of[value[r, "op"]]
    }
    if (column == "conflict_percent") {
        if (value[r, "source"] == "measured") {
            return value[r, "degree"] == "" ? "" : 100 * value[r, "degree"]
        }
        column = "passes_per_request_relative"
    }
    if (column == "speed") {
        base = value[r, "time_ns_median"] value[r, "time_ns"]
        base = base == "" ? value[r, "time_ms"] * 1e6 : base
        return base + 0 > 0 ? 1e9 / base : ""
    }
    if (column == "lanes_pct") {
        base = value[r, "valu_active_threads"]
        return base == "" ? value[r, "active_lanes_pct"] : 100 * base / 64
    }
    if (column == "branches" && value[r, "branch_instructions"] != "") {
        return value[r, "branch_instructions"]
    }
    if (sub(/_per_warp$/, "", column)) {
        return value[r, column] == "" || value[r, "warps"] + 0 == 0 ? "" : value[r, column] / value[r, "warps"]
    }
    if (sub(/_relative$/, "", column)) {
        base = reference_of[line_of(r), column]
        return base + 0 > 0 && known(r, column) != "" ? 100 * known(r, column) / base : ""
    }
    return value[r, column]
}

# Whether the row meets the chart's conditions: those on one column, or all of them.
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

# Rows of others' figures are of the chart's probe and variant by the choice of their file.
function is_chosen(r) {
    if (is_foreign(r)) {
        return 0
    }
    if (value[r, "source"] != "published" &&
        (value[r, "probe"] != spec["probe"] || !(value[r, "variant"] in step_of) ||
         (spec["where"] !~ /(^| )kernel=/ && value[r, "kernel"] !~ /^(all)?$/))) {
        return 0
    }
    if (alike != "" && value[r, "source"] != "published" && value[r, spec["alike"]] != alike) {
        return 0
    }
    return meets_conditions(r)
}

# In a file's own pictures its own rows say which.
function find_alike(    r, v, device, devices_of, rows_of, found) {
    for (r = 1; r <= rows && spec["alike"] != ""; r++) {
        if (value[r, "source"] != "published" && is_chosen(r) && (ENVIRON["csv"] == "" || file_of[r] == ENVIRON["csv"])) {
            v = value[r, spec["alike"]]
            device = v SUBSEP part[r] SUBSEP origin_of(r)
            devices_of[v] += !(device in found)
            found[device] = 1
            rows_of[v]++
        }
    }
    for (v in rows_of) {
        if (alike == "" || devices_of[v] > devices_of[alike] || \
            (devices_of[v] == devices_of[alike] && (rows_of[v] > rows_of[alike] || \
                                                    (rows_of[v] == rows_of[alike] && v + 0 > alike + 0)))) {
            alike = v
        }
    }
}

function find_references(    r, i, column) {
    for (r = 1; r <= rows; r++) {
        if (is_chosen(r) && value[r, reference[1]] == reference[2]) {
            for (i = 1; i <= value_columns; i++) {
                column = value_column[i] == "conflict_percent" ? "passes_per_request_relative" : value_column[i]
                if (sub(/_relative$/, "", column)) {
                    reference_of[line_of(r), column] = known(r, column)
                }
            }
        }
    }
}

# What keeps a row from being a plain result; empty if nothing does.
function mark_of(r,    text) {
    if (spec["counts"] != "" && origin_of(r) == "predicted") {
        return ""
    }
    text = value[r, "verdict"] (value[r, "verified"] == "no" ? "+wrong-result" : "")
    # A prediction needs no result that was checked.
    gsub(value[r, "source"] == "predicted" ? "ok|noisy|unverified" : "ok|noisy", "", text)
    gsub(/[+]+/, "+", text)
    sub(/^[+]/, "", text)
    sub(/[+]$/, "", text)
    return text
}

# Whether row a comes before row b: by series, then by position.
function before(a, b,    i, difference) {
    difference = series_order[known(a, spec["series"])] - series_order[known(b, spec["series"])]
    for (i = 1; i <= row_columns && difference == 0; i++) {
        difference = known(a, row_column[i]) - known(b, row_column[i])
    }
    return difference < 0
}

function insert(list, count, item) {
    for (; count > 0 && before(item, list[count]); count--) {
        list[count + 1] = list[count]
    }
    list[count + 1] = item
}

# Says something of the chart on standard error.
function tell(what,    name) {
    name = ENVIRON["chart"]
    sub(/^.*\//, "", name)
    sub(/[.]gp$/, "", name)
    print "plots: " name " " what | "cat 1>&2"
}

# The order of the series: devices by vendor and name, variants as the chart lists them, anything else by value; as many
# as there are colours. Fills series_name and series_order.
function order_series(    name, i, rank) {
    split("", rank)
    for (name in in_series) {
        rank[name] = spec["series"] == "device" ? part_rank[name] " " part_title[name] : \
            name in order_of ? sprintf("%020.6f", order_of[name]) : name in step_of ? sprintf("%020.6f", step_of[name]) : name + 0 == 0 ? name : sprintf("%020.6f", name)
    }
    if (series_found > colours) {
        tell("shows the first " colours " of " series_found ": the " spec["series"] " column has too many values")
    }
    for (count_of_series = 0; count_of_series < series_found && count_of_series < colours; ) {
        name = ""
        for (i in rank) {
            name = name == "" || rank[i] < rank[name] ? i : name
        }
        delete rank[name]
        series_name[++count_of_series] = name
        series_order[name] = count_of_series
    }
}

# The rows of one picture, in order, in picked[1..picked_count]; of rows at one position the last one counts.
function pick(id,    r, place, at, xs, different) {
    split("", in_series)
    split("", at)
    split("", xs)
    split("", series_order)
    series_found = picked_count = own = 0
    for (r = 1; r <= rows; r++) {
        if (!is_chosen(r) || (id != "" && part[r] != id && value[r, "source"] != "published") ||
            known(r, value_column[1]) == "") {
            continue
        }
        at[line_of(r), known(r, x_column)] = r
        different += !(known(r, x_column) in xs)
        xs[known(r, x_column)] = 1
        series_found += !(known(r, spec["series"]) in in_series)
        in_series[known(r, spec["series"])] = 1
        own += value[r, "source"] != "published"
    }
    order_series()
    split("", picked)
    for (place in at) {
        if (known(at[place], spec["series"]) in series_order) {
            insert(picked, picked_count++, at[place])
        }
    }
    return different + 0 < spec["points"] + 0 ? 0 : own
}

# Text of at most so many characters, cut after a word.
function cut(text, longest) {
    if (length(text) > longest) {
        text = substr(text, 1, longest - 3)
        sub(/ [^ ]*$/, "", text)
        text = text "..."
    }
    return text
}

# Text between gnuplot's single quotes.
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
        if (series == 0 || series_order[known(picked[i], spec["series"])] == series) {
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
    return spec["series"] == "width_bytes" ? name (name == 1 ? " byte" : " bytes") : name
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
        s = series_order[known(r, spec["series"])]
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

function write_ranges(    i, j, y, range, name) {
    for (i = 1; i <= picked_count; i++) {
        widen(range, "x", known(picked[i], x_column) + 0)
        for (j = 1; j <= value_columns; j++) {
            y = known(picked[i], value_column[j])
            if (y != "") {
                widen(range, "y", y + 0)
                widen(range, "y" j, y + 0)
            }
        }
    }
    for (i in range) {
        split(i, name, SUBSEP)
        printf "%s_%s = %.10g\n", name[1], name[2], range[i] > script
    }
}

function write_x_values(    i, j, count, x, list, text) {
    for (i = 1; i <= picked_count; i++) {
        x = known(picked[i], x_column) + 0
        for (j = count; j > 0 && list[j] > x; j--) {
        }
        if (j == 0 || list[j] != x) {
            for (j = ++count; j > 1 && list[j - 1] > x; j--) {
                list[j] = list[j - 1]
            }
            list[j] = x
        }
    }
    for (i = 1; i <= count; i++) {
        text = text (i > 1 ? " " : "") list[i]
    }
    print "x_values = " in_quotes(text) > script
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

# One block; a line through its points breaks where a marked row has been taken out.
function write_block(kind, series,    i, j, r, gap, written) {
    printf "# %s:%d:\n", kind, series > script
    for (i = 1; i <= picked_count; i++) {
        r = picked[i]
        if (series_order[known(r, spec["series"])] != series ||
            (kind == "marked" ? mark_of(r) == "" : origin_of(r) != kind)) {
            continue
        }
        if (kind != "marked" && mark_of(r) != "") {
            gap = written
            continue
        }
        printf "%s", (gap ? "\n" : "") > script
        gap = 0
        written = 1
        for (j = 1; j <= row_columns; j++) {
            printf "%s ", number(known(r, row_column[j])) > script
        }
        for (j = 1; j <= value_columns; j++) {
            printf "%s%s", number(known(r, value_column[j])), (j < value_columns ? " " : "\n") > script
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

function slug(text) {
    text = tolower(text)
    gsub(/[^a-z0-9]+/, "-", text)
    return text
}

# Whether the chart is for the backends of this file at all.
function is_for_file(    r, others) {
    for (r = 1; r <= rows; r++) {
        if (file_of[r] == ENVIRON["csv"]) {
            if (meets_conditions(r, "backend")) {
                return 1
            }
            others = 1
        }
    }
    return !others
}

function draw_devices(    i, found) {
    for (i = 1; i <= parts; i++) {
        if (part_id[i] in own_part && pick(part_id[i])) {
            write_script(part_id[i])
            print scripts, (own_parts > 1 ? "-" slug(part_title[part_id[i]]) : "")
            found = 1
        }
    }
    if (!found && is_for_file()) {
        tell("is left out: " (spec["points"] > 1 ? "fewer than " spec["points"] " " x_column " in the" : "no") " rows of " \
             spec["variants"] " with " value_column[1] " in " ENVIRON["csv"])
    }
}

function draw_comparison() {
    if (parts < 2) {
        return
    }
    pick("")
    if (series_found < 2) {
        tell("is left out: fewer than two devices have rows of " spec["variants"] " with " value_column[1])
        return
    }
    write_script("")
    print scripts, ""
}

$0 != "" {
    file_of[++rows] = FILENAME
    for (name in row) {
        value[rows, name] = row[name]
    }
    if (FILENAME == ENVIRON["published"]) {
        value[rows, "source"] = "published"
    }
}

END {
    colours = 8 # of style.gp
    read_chart()
    for (i = 1; i <= variants; i++) {
        step_of[variant_name[i]] = i
    }
    find_parts()
    find_alike()
    find_references()
    if (ENVIRON["csv"] != "") {
        draw_devices()
    } else {
        draw_comparison()
    }
    close("cat 1>&2")
}
