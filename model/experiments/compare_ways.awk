# Holds rows of machine code (the second file) against the host's (the first): see scripts/compare_ways.sh.

function key() {
    return row["probe"] " " row["variant"] " " row["kernel"] " " row["op"] " " row["width_bytes"] " " row["stride"] " " row["offset"] " " \
        row["group"] " " row["window_bytes"] " " row["pattern"] " " row["type"] " " row["tile"] " " row["footprint_bytes"] " " row["parameters"]
}

FNR == NR {
    for (i in figures) {
        host[key(), figures[i]] = row[figures[i]]
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
        mine = row[figure]
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
    split("requests sectors passes bank_conflicts", figures, " ")
}

END {
    for (v = 1; v <= variants; v++) {
        variant = order[v]
        split(variant, words, " ")
        text = ""
        for (i = 1; i in figures; i++) {
            figure = figures[i]
            if ((variant, figure) in differs) {
                text = text (text ? ", " : "") figure \
                    (others[variant, figure] ? sprintf(" %.2f times", mines[variant, figure] / others[variant, figure]) : " " mines[variant, figure] " for 0")
            }
        }
        good = verified[variant] + unchecked[variant] == rows[variant] ? verified[variant] ? "yes" : "-" : "NO"
        printf "%-10s %-7s %-22s %4d %8s  %s\n", part, words[1], words[2], rows[variant], good, text ? text : "equal"
    }
}
