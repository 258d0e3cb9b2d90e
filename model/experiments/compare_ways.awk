# Holds rows of machine code (the second file) against the host's (the first): see scripts/compare_ways.sh.

function key() {
    return row["probe"] " " row["variant"] " " row["kernel"] " " row["op"] " " row["width_bytes"] " " row["stride"] " " row["offset"] " " \
        row["group"] " " row["window_bytes"] " " row["pattern"] " " row["type"] " " row["tile"] " " row["footprint_bytes"] " " row["parameters"]
}

# Requests to shared memory are no column, but follow from two.
function value(figure) {
    return figure != "shared_requests" ? row[figure] : row["passes_per_request"] ? sprintf("%.0f", row["passes"] / row["passes_per_request"]) : ""
}

# What a different number of requests says of the accesses.
function cause(figure, ratio) {
    return figure !~ /requests/ ? "" : ratio < 1 ? " (merged)" : " (split)"
}

FNR == NR {
    for (i in figures) {
        host[key(), figures[i]] = value(figures[i])
    }
    next
}

{
    variant = row["probe"] " " row["variant"]
    if (!(variant in rows)) {
        order[++variants] = variant
    }
    rows[variant]++
    verified[variant] += row["verified"] == "yes"
    unchecked[variant] += row["verified"] == ""
    for (i in figures) {
        figure = figures[i]
        mine = value(figure)
        other = host[key(), figure]
        if (mine == other) {
            continue
        }
        differs[variant, figure] = 1
        mines[variant, figure] += mine
        others[variant, figure] += other
    }
}

BEGIN {
    split("requests sectors shared_requests passes bank_conflicts", figures, " ")
}

END {
    for (v = 1; v <= variants; v++) {
        variant = order[v]
        split(variant, words, " ")
        text = ""
        for (i = 1; i in figures; i++) {
            figure = figures[i]
            if ((variant, figure) in differs) {
                ratio = others[variant, figure] ? mines[variant, figure] / others[variant, figure] : 0
                text = text (text ? ", " : "") figure \
                    (others[variant, figure] ? sprintf(" %.3g times%s", ratio, cause(figure, ratio)) : " " mines[variant, figure] " for 0")
            }
        }
        good = verified[variant] + unchecked[variant] == rows[variant] ? verified[variant] ? "yes" : "-" : "NO"
        failed = failed || good == "NO"
        printf "%-10s %-7s %-22s %4d %8s  %s\n", part, words[1], words[2], rows[variant], good, text ? text : "equal"
    }
    exit failed
}
