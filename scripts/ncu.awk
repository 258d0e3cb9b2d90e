# Counters of the launches in a CSV of `ncu --csv --metrics A,B`: one line per launch, with the metrics in the order of the
# variable `metrics` and "-" for a missing one.
# Called as: grep '^"' LOG | awk -v metrics=A,B -f scripts/csv.awk -f scripts/ncu.awk

function end_launch(    i, line) {
    if (id == "")
        return
    for (i = 1; i <= wanted; i++)
        line = line (i > 1 ? " " : "") (name[i] in value ? value[name[i]] : "-")
    print line
    split("", value)
}

BEGIN { wanted = split(metrics, name, ",") }

row["ID"] != id {
    end_launch()
    id = row["ID"]
}

{
    gsub(/,/, "", row["Metric Value"]) # separators of thousands
    value[row["Metric Name"]] = row["Metric Value"]
}

END { end_launch() }
