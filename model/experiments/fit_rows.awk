# After csv.awk: a line for fit.c (fit.c reads the fields in this order) on each simulated row that was measured, too. -v machine=NAME names
# the first file's rows; the simulated rows are in NAME.csv, and the work of their launches in NAME.work.
function key() {
    return row["variant"] "," row["kernel"] "," row["type"] "," row["width_bytes"] "," row["stride"] "," row["offset"] "," row["group"] "," \
        row["window_bytes"] "," row["pattern"] "," row["elements"] "," row["block"] "," row["grid"] "," row["tile"] "," row["vertices"]
}

# Bandwidths of levels are compared at equal footprints and bytes in flight, because a simulated launch is shorter.
function footprint() {
    return row["variant"] "," row["footprint_bytes"] "," row["page_bytes"] "," \
        (row["bytes_in_flight"] == "" ? "" : row["bytes_in_flight"] "," row["width_bytes"] "," row["block"] "," row["parameters"])
}

FILENAME == ARGV[1] {
    if (row["source"] == "measured" && row["time_ns_median"] > 0) {
        if (!(key() in measured))
            measured[key()] = row["time_ns_median"]
        if (!(footprint() in bandwidth))
            bandwidth[footprint()] = row["bandwidth_gb_s"]
    }
    next
}
{ number[FILENAME]++ }
row["probe"] == "levels" {
    time = bandwidth[footprint()] > 0 ? row["predicted_ns"] * row["bandwidth_gb_s"] / bandwidth[footprint()] : 0
}
row["probe"] != "levels" {
    time = key() in measured && row["kernel"] !~ /pad$/ && !(key() in seen) ? measured[key()] : 0
    seen[key()] = 1
}
row["predicted_ns"] != "" && time > 0 {
    work = FILENAME
    sub(/csv$/, "work", work)
    rounds = row["kernel"] !~ /phase|round/ ? row["probe"] == "apsp" : int((row["vertices"] + row["tile"] - 1) / row["tile"])
    print work, machine, row["probe"], row["variant"], time, row["predicted_ns"], row["bound_ns"] + 0, rounds, number[FILENAME] - 1
}
