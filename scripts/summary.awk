# One line for each device and probe of the given CSV files: the number of rows, the best bandwidth or rate of updates, its
# share of the peak, and the verdicts. The name of the file gives the device: cpu/gmem.csv or gmem-cpu.csv.
# Called as: awk -f scripts/csv.awk -f scripts/summary.awk results/*/*.csv

function device_of(path, probe,    part, n) {
    n = split(path, part, "/")
    if (index(part[n], probe "-") == 1)
        return substr(part[n], length(probe) + 2, length(part[n]) - length(probe ".csv") - 1)
    return n > 1 ? part[n - 1] : "-"
}

BEGIN {
    format = "%-18s %-7s %5s %16s %8s  %s\n"
    printf format, "device", "probe", "rows", "best", "of peak", "verdicts"
}

{
    key = device_of(FILENAME, row["probe"]) SUBSEP row["probe"]
    if (!(key in rows))
        order[++groups] = key
    rows[key]++

    verdict = row["verified"] == "no" ? "wrong" : row["verdict"]
    if (verdict == "")
        verdict = "none"
    if (!((key, verdict) in count)) # the good ones come first
        verdicts[key] = verdict == "ok" ? SUBSEP verdict verdicts[key] : verdicts[key] SUBSEP verdict
    count[key, verdict]++

    # A footprint that fits into the cache says nothing about the memory, and no device is faster than its peak.
    if (verdict == "wrong" || verdict ~ /cache-resident|above-peak/)
        next
    # The updates per second of a whole solution say more than what its parts asked of memory.
    solved = row["gop_s"] != "" && row["kernel"] == "all" && row["vertices"] != ""
    if (solved && !solves[key])
        best[key] = 0
    solves[key] = solves[key] || solved
    if (solves[key] && !solved)
        next
    unit = solved ? "GOP/s" : "GB/s"
    speed = row[solved ? "gop_s" : row["one_way_gb_s"] != "" ? "one_way_gb_s" : "bandwidth_gb_s"] + 0
    share = solved ? (row["peak_gop_s"] + 0 > 0 ? 100 * speed / row["peak_gop_s"] : "") : row["peak_pct"]
    if (speed > best[key]) {
        best[key] = speed
        shown[key] = sprintf("%.1f %s", speed, unit)
        peak[key] = share == "" ? "-" : sprintf("%.1f %%", share)
        source[key] = row["source"]
    }
}

END {
    for (g = 1; g <= groups; g++) {
        key = order[g]
        split(key, name, SUBSEP)
        n = split(substr(verdicts[key], 2), list, SUBSEP)
        line = sprintf(format, name[1], name[2], rows[key], key in shown ? shown[key] : "-", key in peak ? peak[key] : "-", "")
        sub(/\n$/, "", line)
        below = length(line)
        for (v = 1; v <= n; v++) {
            list[v] = list[v] " " count[key, list[v]] (v < n ? "," : "")
            if (below > 80 - length(list[v]))
                below = 80 - length(list[v])
        }
        for (v = 1; v <= n; v++) {
            text = (v > 1 ? " " : "") list[v]
            if (length(line text) > 80) {
                sub(/ +$/, "", line)
                print line
                line = sprintf("%" below "s", "")
                text = list[v]
            }
            line = line text
        }
        print line
        if (source[key] == "predicted")
            predicted = 1
    }
    if (predicted)
        print "Rows of sim-... are predicted by the model, not measured."
}
