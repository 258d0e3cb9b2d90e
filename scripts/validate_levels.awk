# After csv.awk and validate_groups.awk: compares the latencies and bandwidths of levels with those of the first file: measured rows, or
# (with -v device=NAME) a published curve of that device, which is interpolated.
function figure() {
    return row["latency_cycles"] != "" ? row["latency_cycles"] : row["bandwidth_gb_s"]
}

function key() {
    return row["variant"] "," row["footprint_bytes"] "," row["page_bytes"]
}

# The curve's figure at so many KiB; 0 outside of it.
function published(kib,    i) {
    for (i = 1; i < points && at[i + 1] < kib; i++);
    if (points < 2 || kib < at[1] || kib > at[points])
        return 0
    return curve[i] + (curve[i + 1] - curve[i]) * log(kib / at[i]) / log(at[i + 1] / at[i])
}

FILENAME == ARGV[1] {
    if (device != "" && row["device"] == device) {
        at[++points] = row["footprint_kib"] + row["footprint_kib_per_unit"]
        curve[points] = row["cycles_median"] != "" ? row["cycles_median"] : row["bandwidth_gb_s"] * scale
    } else if (device == "" && row["source"] == "measured" && row["footprint_bytes"] != "" && !(key() in measured))
        measured[key()] = figure()
    next
}
# Beyond L1 a published working set is the same for all units.
row["footprint_bytes"] != "" && figure() > 0 && (device == "" || row["variant"] !~ /^unit/ || row["level"] == "L1") {
    expected = device != "" ? published(row["footprint_bytes"] / 1024) : measured[key()]
    if (expected > 0)
        add(row["variant"], 100 * (figure() / expected - 1), row["footprint_bytes"] / 1024 " KiB", 0)
}
