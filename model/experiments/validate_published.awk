# After csv.awk: compares published times (the first file) with predicted ones, and says whether both have the same order.
# Times that differ by less than TIE per cent have no order.
BEGIN { TIE = 5 }
NR == FNR {
    name = row["variant"] row["activity"]
    published[name] = row["time_ns"] != "" ? row["time_ns"] : row["time_ms"] * 1e6
    next
}
{ name = row["kernel"] ~ /phase/ ? row["kernel"] : row["variant"] }
name in published && row["predicted_ns"] != "" {
    predicted[name] = row["predicted_ns"]
    printf "%-24s published %10.1f us, predicted %10.1f us, %+6.1f %%\n", name, published[name] / 1e3,
        row["predicted_ns"] / 1e3, 100 * (row["predicted_ns"] / published[name] - 1)
}
END {
    for (a in predicted) for (b in predicted) if (published[a] > published[b] * (1 + TIE / 100)) {
        pairs++
        right += predicted[a] > predicted[b]
    }
    printf "order: right in %d of %d pairs that differ by more than %d %%\n", right, pairs, TIE
}
