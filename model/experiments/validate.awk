# After csv.awk and validate_groups.awk: compares the first file's measured rows with the simulated rows of the others, matched by what was run.
function key() {
    return row["variant"] "," row["kernel"] "," row["type"] "," row["width_bytes"] "," row["stride"] "," row["offset"] "," row["group"] "," \
        row["window_bytes"] "," row["pattern"] "," row["elements"] "," row["block"] "," row["grid"] "," row["tile"] "," row["vertices"]
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
    what = row["kernel"] (row["width_bytes"] != "" ? " width " row["width_bytes"] : "") \
        (row["stride"] != "" ? " stride " row["stride"] : "") (row["offset"] > 0 ? " offset " row["offset"] : "") \
        (row["window_bytes"] != "" ? " window " row["window_bytes"] : "") \
        (row["elements"] != "" ? " elements " row["elements"] : "") (row["tile"] != "" ? " tile " row["tile"] : "") \
        (row["vertices"] != "" ? " vertices " row["vertices"] : "")
    error = 100 * (row["predicted_ns"] / time - 1)
    add(row["variant"], error, what, time < row["bound_ns"] * 0.999)
    add("", error, row["variant"] " " what, time < row["bound_ns"] * 0.999)
    if (probe == "reduce" && row["elements"] >= 1048576)
        add("(from 2^20 elements)", error, row["variant"] " " what, time < row["bound_ns"] * 0.999)
}
