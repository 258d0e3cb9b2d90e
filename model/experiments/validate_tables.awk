# Compares what published_requests.awk expects (the first file) with the means of what `lanes` counts (the second file): one line for each
# device and figure.
BEGIN {
    FS = ","
    split("gpu,space,op,width_bytes,active_lanes,passes,bank_conflicts,sector_bytes,sectors,lines,unique_bytes,efficiency_pct," \
        "certainty,stride,offset,l1_clocks", names, ",")
    for (i in names)
        column[names[i]] = i + 1
}
NR == FNR {
    expected[++count] = $0
    next
}
{
    requests[$1]++
    for (name in column)
        sum[$1, name] += $column[name]
}
END {
    for (i = 1; i <= count; i++) {
        split(expected[i], part, ",")
        name = part[3]
        only_whether = sub(/\?$/, "", name)
        group = part[2] "," name
        if (!(group in rows))
            order[++groups] = group
        found = requests[part[1]] ? sum[part[1], name] / requests[part[1]] * part[6] : 0
        found = only_whether ? found > 0 : found
        error = part[4] != 0 ? 100 * (found / part[4] - 1) : found == 0 ? 0 : 100
        rows[group]++
        if (requests[part[1]] && (error < 0 ? -error : error) <= part[5] + 0.001)
            met[group]++
        else if (!(group in worst) || error ^ 2 > size[group]) {
            size[group] = error ^ 2
            worst[group] = sprintf("%+.1f %% (row %d: %.6g, published %s)", error, part[1], found, part[4])
        }
    }
    for (i = 1; i <= groups; i++) {
        split(order[i], part, ",")
        printf "%-20s %-20s %-12s %5d %5d  %s\n", table, part[1], part[2], rows[order[i]], met[order[i]], worst[order[i]]
    }
}
