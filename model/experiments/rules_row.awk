# What the awk scripts of scripts/rules.sh share: they write a row of rules.csv field by field. An unknown value is "".

function start_row(experiment, pattern) {
    row_text = experiment "," row["op"] "," row["width_bytes"] ",\"" pattern "\""
}

function number(value) {
    return value == "" ? "" : sprintf("%.4g", value)
}

# Whether value differs from expected by at most that share of it, or of 1 if it is 0.
function near(value, expected, share,    room) {
    room = share * (expected ? expected : 1)
    return value - expected <= room && expected - value <= room
}

# hidden: the request took as long as one without conflicts, although it should need fewer passes, because moving the data to
# the lanes' registers takes longer than the passes.
function verdict(value, predicted, share, free) {
    if (value == "" || predicted == "")
        return ""
    if (near(value, predicted, share))
        return "agrees"
    return free != "" && predicted < free && near(value, free, share) ? "hidden" : "differs"
}

# free is what a request without conflicts takes, or "" if nothing can hide behind that. The answers by time and by the
# counters may differ by `time_share` and `share`.
function judge(predicted, by_time, counted, free, time_share, share) {
    row_text = row_text "," number(predicted) "," number(by_time) "," verdict(by_time, predicted, time_share, free) "," \
        number(counted) "," verdict(counted, predicted, share, "")
}

function end_row(conflicts, conflicts_counted) {
    print row_text "," number(conflicts) "," number(conflicts_counted) "," row["rule_certainty"] "," row["verified"]
}
