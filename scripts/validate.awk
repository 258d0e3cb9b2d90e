# After csv.awk: compares the first file's measured rows with the simulated rows of the others, matched by what was run.
function key() {
    return row["variant"] "," row["kernel"] "," row["type"] "," row["width_bytes"] "," row["stride"] "," row["offset"] "," row["group"] "," \
        row["window_bytes"] "," row["pattern"] "," row["elements"] "," row["block"] "," row["grid"] "," row["tile"] "," row["vertices"]
}

function size(x) { return x < 0 ? -x : x }

# The quantile of a group's absolute errors at this share.
function quantile(group, share,    i) {
    i = int(share * rows[group]) + 1
    return sorted[group, i > rows[group] ? rows[group] : i]
}

function add(group, error, what, beaten,    i) {
    for (i = ++rows[group]; i > 1 && sorted[group, i - 1] > size(error); i--)
        sorted[group, i] = sorted[group, i - 1]
    sorted[group, i] = size(error)
    if (rows[group] == 1 || size(error) > size(worst[group])) {
        worst[group] = error
        where[group] = what
    }
    below[group] += beaten
}

function print_group(group, variant) {
    printf "%-8s %-24s %5d %8.1f %8.1f %+8.1f %7d  %s\n", probe, variant, rows[group], quantile(group, 0.5),
        quantile(group, 0.9), worst[group], below[group], where[group]
}

FILENAME == ARGV[1] {
    if (row["source"] == "measured" && row["time_ns_median"] > 0 && !(key() in measured))
        measured[key()] = row["time_ns_median"]
    next
}
row["predicted_ns"] != "" && key() in measured && row["kernel"] !~ /pad$/ && !(key() in seen) {
    time = measured[key()]
    seen[key()] = 1
    probe = row["probe"]
    if (!(row["variant"] in rows))
        order[++groups] = row["variant"]
    what = row["kernel"] (row["width_bytes"] != "" ? " width " row["width_bytes"] : "") \
        (row["stride"] != "" ? " stride " row["stride"] : "") (row["offset"] > 0 ? " offset " row["offset"] : "") \
        (row["window_bytes"] != "" ? " window " row["window_bytes"] : "") \
        (row["elements"] != "" ? " elements " row["elements"] : "") (row["tile"] != "" ? " tile " row["tile"] : "") \
        (row["vertices"] != "" ? " vertices " row["vertices"] : "")
    error = 100 * (row["predicted_ns"] / time - 1)
    add(row["variant"], error, what, time < row["bound_ns"] * 0.999)
    add("", error, row["variant"] " " what, time < row["bound_ns"] * 0.999)
}
END {
    for (i = 1; i <= groups; i++)
        print_group(order[i], order[i])
    if (groups > 0)
        print_group("", "(all)")
}
