# What the awk scripts of scripts/rules.sh share: one row of rules.csv, field by field. A value that is not known is "".

function start_row(experiment, pattern) {
    row_text = experiment "," row["op"] "," row["width_bytes"] ",\"" pattern "\""
}

function number(value) {
    return value == "" ? "" : sprintf("%.4g", value)
}

# Whether value lies within that share of expected; beside nothing it is a share of one.
function near(value, expected, share,    room) {
    room = share * (expected ? expected : 1)
    return value - expected <= room && expected - value <= room
}

# hidden: the request took as long as one without conflicts, although it should pass sooner: what its lanes are owed has
# to cross to their registers, and that takes the time.
function verdict(value, predicted, share, free) {
    if (value == "" || predicted == "")
        return ""
    if (near(value, predicted, share))
        return "agrees"
    return free != "" && predicted < free && near(value, free, share) ? "hidden" : "differs"
}

# free: what a request without conflicts takes, "" where nothing hides behind that. Counts are exact but for `share`.
function judge(predicted, by_time, counted, free, share) {
    row_text = row_text "," number(predicted) "," number(by_time) "," verdict(by_time, predicted, 0.1, free) "," \
        number(counted) "," verdict(counted, predicted, share, "")
}

function end_row(conflicts, conflicts_counted) {
    print row_text "," number(conflicts) "," number(conflicts_counted) "," row["certainty"] "," row["verified"]
}
