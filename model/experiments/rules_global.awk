# Rows of rules.csv for experiment 5, sectors per request, from gmem's CSV of reads and writes.
# Called as: awk -v lanes=32 -v counters=FILE -f scripts/csv.awk -f model/experiments/rules_row.awk -f model/experiments/rules_global.awk GMEM.csv
# The lines of `counters`, if given, correspond to gmem's rows: requested bytes; sectors and requests of loads, then of stores.
# On a simulated device gmem's own counts are taken. The prediction is made here, from the addresses of a warp's lanes.

# An element lies in one sector, because its address is a multiple of its width.
function sectors(width, stride, offset, sector,    lane, seen, count) {
    for (lane = 0; lane < lanes; lane++)
        count += !seen[int((lane * stride + offset) * width / sector)]++
    return count
}

{
    counted = row["source"] == "predicted" ? row["sectors_per_request"] : ""
    if (counters != "") {
        getline line <counters
        split(line, counter, " ")
        first = row["op"] == "read" ? 1 : 3
        counted = counter[first + 1] / counter[first + 2]
    }
    start_row(5, "stride " row["stride"] ", offset " row["offset"] * row["width_bytes"] " bytes")
    sector = row["sector_bytes"] ? row["sector_bytes"] : 32
    judge(sectors(row["width_bytes"], row["stride"], row["offset"], sector), "", counted, "", 0.1, 0.01)
    end_row("", "")
}
