# Rows of rules.csv for experiment 6, bytes that memory reads for each byte that it writes, from gmem's CSV of 4-byte writes at
# stride 1 and 2.
# Called as: awk -v counters=FILE -f scripts/csv.awk -f model/experiments/rules_row.awk -f model/experiments/rules_fill.awk GMEM.csv
# The lines of `counters`, if given, correspond to gmem's rows: requested bytes, read, written.
# At stride 2 every sector is written in part. Twice as many sectors are written for each element as at stride 1; if each is
# read first, four times as many move in all. gmem chooses the number of elements for each stride. The answer by time is too
# high by a fifth (results/h200/gmem.csv), because reads and writes that take turns slow memory.

{
    counted = ""
    if (counters != "") {
        getline line <counters
        split(line, counter, " ")
        counted = counter[2] / counter[3]
    }
    element_ns = row["time_ns_median"] / row["elements"]
    if (row["stride"] == 1)
        whole_ns = element_ns
    by_time = row["stride"] == 2 ? element_ns / (2 * whole_ns) - 1 : ""
    start_row(6, "stride " row["stride"])
    judge(row["stride"] - 1, by_time, counted, "", 0.25, 0.1)
    end_row("", "")
}
