# Rows of rules.csv for one file of requests (experiments 1 to 4), from smem's CSV of them.
# Called as: awk -v patterns=FILE -v predictions=FILE -v counters=FILE -f scripts/csv.awk -f model/experiments/rules_row.awk
#   -f model/experiments/rules_shared.awk SMEM.csv
# The lines of these files correspond to smem's rows: patterns has their experiments, names and addresses; predictions, if given,
# the passes and conflicts that `lanes` computes; counters, if given, the bytes that all lanes request, passes and conflicts.

{
    getline line <patterns
    split(line, pattern, "\t")
    lanes = gsub(/[0-9]+/, "&", pattern[3])
    predicted = row["passes_per_request"]
    conflicts = predicted > 0 ? row["bank_conflicts"] / row["passes"] * predicted : ""
    counted = conflicts_counted = ""
    if (row["source"] == "predicted") { # counted by the simulator while it ran the kernel
        counted = predicted
        conflicts_counted = conflicts
    }
    if (predictions != "") {
        getline line <predictions
        split(line, by_lanes, " ")
        predicted = by_lanes[1]
        conflicts = by_lanes[2]
    }
    if (counters != "") {
        getline line <counters
        split(line, counter, " ")
        requests = counter[1] / (lanes * row["width_bytes"])
        counted = counter[2] / requests
        conflicts_counted = counter[3] / requests
    }
    free = row["degree_predicted"] > 0 ? predicted / row["degree_predicted"] : row["width_bytes"] / 4
    start_row(row["op"] == "store" && pattern[1] == 1 ? 2 : pattern[1], pattern[2])
    judge(predicted, row["degree"] != "" ? row["degree"] * free : "", counted, free, 0.1, 0.01)
    end_row(conflicts, conflicts_counted)
}
