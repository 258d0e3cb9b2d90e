# After csv.awk and validate_groups.awk: compares the latencies and bandwidths of levels with those of the first file: measured rows, or
# (with -v device=NAME) a published curve of that device at the same footprints.
function figure() {
    return row["latency_cycles"] != "" ? row["latency_cycles"] : row["bandwidth_gb_s"]
}

function key() {
    return row["variant"] "," row["footprint_bytes"] "," row["page_bytes"] "," \
        (row["bytes_in_flight"] == "" ? "" : row["bytes_in_flight"] "," row["width_bytes"] "," row["block"] "," row["parameters"])
}

function distance(a, b) {
    return a - b > 0 ? a - b : b - a # numbers, although a may be a subscript, which is text
}

# A program takes a footprint in whole steps of its blocks, so the published one may be somewhat larger.
function published_at(bytes,    at, nearest) {
    for (at in published)
        if (distance(at, bytes) < 0.02 * bytes && (nearest == "" || distance(at, bytes) < distance(nearest, bytes))) nearest = at
    return nearest == "" ? 0 : published[nearest]
}

FILENAME == ARGV[1] {
    if (device != "" && row["device"] == device) {
        bytes = int((row["footprint_kib"] + row["footprint_kib_per_unit"]) * 8 + 0.5) * 128
        published[bytes] = row["cycles_median"] != "" ? row["cycles_median"] : row["bandwidth_gb_s"] * scale
    } else if (device == "" && row["source"] == "measured" && row["footprint_bytes"] != "" && !(key() in measured))
        measured[key()] = figure()
    next
}
# Beyond L1 a published working set is the same for all units.
row["footprint_bytes"] != "" && figure() > 0 && (device == "" || row["variant"] !~ /^unit/ || row["level"] == "L1") {
    expected = device != "" ? published_at(row["footprint_bytes"]) : measured[key()]
    if (expected > 0)
        add(row["variant"], 100 * (figure() / expected - 1), row["footprint_bytes"] / 1024 " KiB" \
            (row["bytes_in_flight"] == "" ? "" : ", " row["bytes_in_flight"] / 1024 " KiB in flight"), 0)
}
