# Draws a picture for each device of a file, or one of all devices.

# Prints a message about the chart on standard error.
function tell(what,    name) {
    name = ENVIRON["chart"]
    sub(/^.*\//, "", name)
    sub(/[.]gp$/, "", name)
    print "plots: " name " " what | "cat 1>&2"
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

# Another file with predicted rows of the device, if this one has only measured rows. The counts of both are the same.
function file_with_counts(id,    r, found) {
    for (r = 1; r <= rows && spec["counts"] == "all"; r++) {
        if ((r in shown) && part[r] == id && value[r, "source"] == "predicted" && !(r in lent_by)) {
            found = file_of[r]
            if (found == ENVIRON["csv"]) {
                return ""
            }
        }
    }
    return found
}

# Selects the rows of one device's picture. Returns whether they are enough to show.
function pick(id,    r) {
    split("", kept)
    forget_dropped()
    keep_device(id, ENVIRON["csv"], "")
    for (r = 1; r <= rows; r++) {
        if ((r in shown) && value[r, "source"] == "published") {
            kept[r] = 1
        }
    }
    return arrange() >= points
}

# What the rows of the last picture lack.
function too_few() {
    return own ? "fewer than " points " values of " x_column " in the rows" : "no rows"
}

function draw_devices(    i, found, twin) {
    for (i = 1; i <= parts; i++) {
        if (!(part_id[i] in own_part)) {
            continue
        }
        twin = file_with_counts(part_id[i])
        if (twin != "") {
            tell("is left out in " folder_of(ENVIRON["csv"]) ": it shows counts, which " folder_of(twin) " has")
            found = 1
        } else if (pick(part_id[i])) {
            write_script(part_id[i])
            print scripts, (own_parts > 1 ? "-" slug(part_title[part_id[i]]) : "")
            found = 1
        }
    }
    if (!found && is_for_file()) {
        tell("is left out: " too_few() " of " spec["variants"] " with " value_column[1] " in " ENVIRON["csv"])
    }
}

# Leaves out devices whose rows are too few for a line.
function drop_short_lines(    r, count, xs) {
    for (r = 1; r <= rows; r++) {
        if ((r in kept) && !((series_of(r), known(r, x_column)) in xs)) {
            xs[series_of(r), known(r, x_column)] = 1
            count[series_of(r)]++
        }
    }
    for (r = 1; r <= rows; r++) {
        if ((r in kept) && count[series_of(r)] < points) {
            delete kept[r]
            drop(r, "device")
        }
    }
}

function draw_comparison() {
    if (parts < 2) {
        return
    }
    forget_dropped()
    keep_all_devices()
    drop_short_lines()
    arrange()
    if (series_found < 2) {
        tell("is left out: fewer than two devices have " (points > 1 ? points " values of " x_column " in the " : "") "rows of " \
             spec["variants"] " with " value_column[1])
        return
    }
    write_script("")
    print scripts, ""
}

# Finds the columns of a file that the picture may need, because most files have many more.
function find_needed(    i, name, text) {
    text = "probe variant backend device arch source kernel verdict verified peak_gb_s " ENVIRON["spec"]
    for (name in expression) {
        text = text " " expression[name]
    }
    for (i = 1; i <= settings; i++) {
        text = text " " setting[i]
    }
    needed = 0
    for (i = 1; i <= columns; i++) {
        if (index(text, header[i]) > 0) {
            needed_column[++needed] = header[i]
        }
    }
}

# Adds a row: the current one, or what the model expects of it.
function add_row(    i) {
    file_of[++rows] = FILENAME
    row_in_file[rows] = file_rows
    for (i = 1; i <= needed; i++) {
        if (row[needed_column[i]] != "") {
            value[rows, needed_column[i]] = row[needed_column[i]]
        }
    }
}

# Whether the current row tells nothing: the chart does not show its variant, and an earlier row has told of its device.
function is_needless(    key) {
    if (FILENAME == ENVIRON["published"] || is_named(row["variant"])) {
        return 0
    }
    key = FILENAME SUBSEP row["backend"] SUBSEP row["device"] SUBSEP row["arch"] SUBSEP row["source"]
    if (key in told) {
        return 1
    }
    told[key] = 1
    return 0
}

# Makes the last row the prediction that its measured row carries, which has a time and what follows from it.
function predict(ns,    i, count, measured) {
    count = split("time_ns_min time_ns_max noise_pct peak_pct copy_pct limit_pct speedup shared_gb_s one_way_gb_s sum_gb_s latency_ns " \
                  "latency_cycles cycles_per_request bytes_per_clock degree first_kernel_pct", measured, " ")
    for (i = 1; i <= count; i++) {
        value[rows, measured[i]] = ""
    }
    lent_by[rows] = rows - 1
    value[rows, "source"] = "predicted"
    value[rows, "verdict"] = "ok"
    value[rows, "time_ns_median"] = ns
    value[rows, "bandwidth_gb_s"] = row["bandwidth_gb_s"] == "" ? "" : row["useful_bytes"] / ns
    value[rows, "gop_s"] = row["gop_s"] == "" ? "" : row["ops"] / ns
}

BEGIN {
    colours = 8 # of style.gp
    define_columns()
    read_spec()
}

$0 != "" {
    if (FILENAME != file_name[files]) {
        file_name[++files] = FILENAME
        file_rows = 0
        find_needed()
    }
    file_rows++
    if (is_needless()) {
        next
    }
    add_row()
    if (FILENAME == ENVIRON["published"]) {
        value[rows, "source"] = "published"
        published_variant[value[rows, "variant"]] = 1
    } else if (row["source"] == "measured" && row["predicted_ns"] > 0) {
        add_row()
        predict(row["predicted_ns"])
    }
}

END {
    find_parts()
    find_shown()
    if (ENVIRON["csv"] != "") {
        draw_devices()
    } else {
        draw_comparison()
    }
    close("cat 1>&2")
}
