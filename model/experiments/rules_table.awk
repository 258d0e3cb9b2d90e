# Prints rules.csv as a table for people, at most 80 columns wide, and the answers that follow from it.
# Called as: awk -v nvidia=1 -f scripts/csv.awk -f model/experiments/rules_table.awk RULES.csv

function shown(value) {
    return value == "" ? "-" : value
}

# A figure to three decimals, which leaves it narrow enough for its column.
function short(value) {
    return value == "" ? "-" : sprintf("%.5g", int(1000 * value + 0.5) / 1000)
}

# Prints the pattern, and returns its last line, which the row's figures follow.
function last_line(pattern,    cut) {
    while (length(pattern) > PATTERN) {
        cut = PATTERN
        while (substr(pattern, cut, 1) != " ") cut--
        print substr(pattern, 1, cut - 1)
        pattern = "  " substr(pattern, cut + 1)
    }
    return pattern
}

function print_row(    group) {
    group = row["experiment"] ". " row["op"] ", " row["width_bytes"] (row["width_bytes"] == 1 ? " byte" : " bytes")
    if (group != group_before)
        print "\n" group
    group_before = group
    printf format, last_line(row["pattern"]), short(row["predicted"]), short(row["by_time"]), row["time_verdict"],
        short(row["counted"]), row["count_verdict"],
        row["conflicts"] == "" ? "-" : short(row["conflicts"]) "/" short(row["conflicts_counted"])
}

# The most reliable figure of a row: the count, or else the time unless it is hidden.
function known(key) {
    if (counted[key] != "")
        return counted[key]
    return time_verdict[key] == "hidden" ? "" : by_time[key]
}

function key_of(op, width, pattern) {
    return op SUBSEP width SUBSEP pattern
}

function near(value, expected) {
    return value != "" && value > 0.9 * expected && value < 1.1 * expected
}

BEGIN {
    PATTERN = 33
    format = "%-" PATTERN "s%5s %7s %-7s %7s %-7s %9s\n"
    printf format, "pattern", "model", "by time", "", "counted", "", "conflicts"
}

{
    key = key_of(row["op"], row["width_bytes"], row["pattern"])
    by_time[key] = row["by_time"]
    time_verdict[key] = row["time_verdict"]
    counted[key] = row["counted"]
    conflicts_counted[key] = row["conflicts_counted"]
    if (row["experiment"] != 5 || row["count_verdict"] == "differs")
        print_row()
    tally[row["time_verdict"]]++
    tally_counted[row["count_verdict"]]++
    unverified += row["verified"] == "no"
    if (row["experiment"] == 5 && row["counted"] != "") {
        requests++
        requests_agree += row["count_verdict"] == "agrees"
    }
}

# Prints which pairs merge: conflicting ones then take 8 passes instead of 16.
function merging(op, width,    bit, value, yes, no, unclear) {
    for (bit = 1; bit <= 16; bit *= 2) {
        value = known(key_of(op, width, "conflicting pairs l^" bit))
        if (near(value, 8)) yes = yes " l^" bit
        else if (near(value, 16)) no = no " l^" bit
        else unclear = unclear " l^" bit
    }
    printf "%s, %s bytes: pairs merge by%s; not by%s%s\n", op, width, yes ? yes : " none", no ? no : " none",
        unclear ? "; unknown:" unclear : ""
}

function answer(label, op, width, pattern, low, if_low, high, if_high,    value) {
    value = known(key_of(op, width, pattern))
    printf "  %s: %s\n", label,
        near(value, low) ? if_low : near(value, high) ? if_high : "unknown (" shown(value) " passes)"
}

function partial(op, width) {
    print op ", " width " bytes"
    answer("groups without an active lane cost", op, width, "conflicting lanes 0-" 128 / width - 1 " alone",
        width / 2, "nothing", width / 2 + width / 4 - 1, "a pass each")
    answer("one lane of a pair being off", op, width, "conflicting pairs l^1, lane 1 off",
        8, "does not keep the others from merging", 16, "keeps the others from merging")
    answer("pairs by l^1 in one half of the warp, by l^2 in the other", op, width,
        "conflicting pairs l^1 below lane 16, l^2 above", 8, "merge", 16, "do not merge")
}

END {
    printf "\nby time: %d agree, %d differ, %d hidden; counted: %d agree, %d differ; %d unverified\n", tally["agrees"],
        tally["differs"], tally["hidden"], tally_counted["agrees"], tally_counted["differs"], unverified
    if (!nvidia) {
        print "\nThe questions are about NVIDIA's rules; for this part the table only says whether its model holds."
        exit
    }
    print "\n1, 2. The pair condition"
    for (i = 1; i <= 4; i++)
        merging(i <= 2 ? "load" : "store", i % 2 ? 8 : 16)
    print "\n3. Partial warps"
    for (i = 1; i <= 4; i++)
        partial(i <= 2 ? "load" : "store", i % 2 ? 8 : 16)
    print "\n4. What the conflict counter subtracts for a merged 16-byte load"
    key = key_of("load", 16, "conflicting pairs l^1")
    print conflicts_counted[key] == "" ? "unknown: this needs the counters" : \
        sprintf("%.3g: %.3g passes, %.3g conflicts", counted[key] - conflicts_counted[key], counted[key],
            conflicts_counted[key])
    print "\n5. Sectors of global memory"
    print requests ? requests_agree " of " requests " kinds of request as predicted" : "unknown: this needs the counters"
    print "\n6. Bytes read for each byte that 4-byte stores at stride 2 write"
    key = key_of("write", 4, "stride 2")
    printf "%s by time, %s by the counters\n", shown(by_time[key]), shown(counted[key])
}
