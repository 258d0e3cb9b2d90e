# After csv.awk: reads a comparison's CSV, writes the points that plots/compare.gp draws to the file `points`, and prints gnuplot's
# statements names, tics, last and span. Each variant has the same width, so that one with few rows is seen, too. Where there are too many
# variants for their names, each probe has.
BEGIN { MOST = 40 }

function quoted(text) {
    gsub(/'/, "''", text)
    return "'" text "'"
}

# Puts the row into the group of this name, by variant or by probe.
function put(by, name) {
    if (!((by, name) in number)) {
        number[by, name] = ++groups[by]
        names[by, groups[by]] = name
    }
    group[by, rows] = number[by, name]
    within[by, rows] = ++size[by, number[by, name]]
}

row["ratio"] == "" || row["ratio"] + 0 <= 0 { next }
{
    ratio = row["ratio"] + 0
    rows++
    if (!pairs[row["a"], row["b"]]++)
        compared = compared (rows > 1 ? ", " : "") row["b"] " over " row["a"]
    device = row["device_b"]
    sub(/^(NVIDIA|AMD Instinct) /, "", device)
    put("variant", row["variant"] SUBSEP device)
    put("probe", row["probe"] SUBSEP device)
    devices += !seen[device]++
    rest[rows] = ratio "," row["ratio_low"] "," row["ratio_high"] "," row["verdict"]
    lowest = rows == 1 || ratio < lowest ? ratio : lowest
    highest = ratio > highest ? ratio : highest
}
END {
    by = groups["variant"] > MOST ? "probe" : "variant"
    print "x,ratio,ratio_low,ratio_high,verdict" >points
    for (i = 1; i <= rows; i++)
        print group[by, i] - 0.9 + 0.8 * (within[by, i] - 0.5) / size[by, group[by, i]] "," rest[i] >points
    for (i = 1; i <= groups[by]; i++) {
        split(names[by, i], part, SUBSEP)
        label = substr(part[1] (devices > 1 ? " " part[2] : ""), 1, 28)
        gsub(/"/, "", label)
        tics = tics (i > 1 ? ", " : "") "\"" label "\" " i - 0.5
    }
    printf "names = %s\ntics = %s\nlast = %d\nspan = %g\n", quoted(compared), quoted(tics), groups[by], rows ? highest / lowest : 1
}
