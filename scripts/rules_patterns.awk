# The requests of the experiments on shared memory (docs/rules.md): one a line, EXPERIMENT, PATTERN and the addresses of
# 32 lanes, tabs between, `.` for an inactive lane.
# Called as: awk -v width=8 -f scripts/rules_patterns.awk; the width is 8 or 16 bytes.
#
# Lanes are served in groups of 128 / width unless groups merge. A plain pattern has no conflict, so a request passes as
# often as it has groups. In a conflicting one each group has `depth` rows in a column of banks that no other group uses:
# groups that merge pass side by side, which halves the passes, and there are too many for anything else to hide them.

# The number with the bit of weight `bit` taken out.
function without(number, bit) {
    return int(number / (2 * bit)) * bit + number % bit
}

# The place of a lane that shares it with the lane whose number differs in `bit`.
function plain(lane, bit) {
    return without(lane, bit) * width
}

function conflicting(lane, bit,    of_group, within) {
    of_group = int(lane / group)
    within = lane % group
    if (bit < group)
        return without(within, bit) * 128 + of_group * width
    return within % depth * 128 + (int(within / depth) + 2 * without(of_group, bit / group)) * width
}

function place(lane, bit, conflict) {
    return conflict ? conflicting(lane, bit) : plain(lane, bit)
}

# Prints a request from place_of[lane]; lanes that are not there are inactive.
function request(experiment, name,    lane, text) {
    for (lane = 0; lane < 32; lane++)
        text = text (lane ? " " : "") (lane in place_of ? place_of[lane] : ".")
    print experiment "\t" name "\t" text
    split("", place_of)
}

function pairs(bit, conflict,    lane) {
    for (lane = 0; lane < 32; lane++)
        place_of[lane] = place(lane, bit, conflict)
}

function pair_condition(conflict, label,    bit, lane) {
    for (bit = 1; bit <= 16; bit *= 2) {
        pairs(bit, conflict)
        request(1, label "pairs l^" bit)
    }
    for (lane = 0; lane < 32; lane++)
        place_of[lane] = place(lane, lane < 16 ? 1 : 2, conflict)
    request(1, label "pairs l^1 below lane 16, l^2 above")
    pairs(1, conflict)
    place_of[1] = 96
    request(1, label "pairs l^1 but for lane 1")
}

# Of one group alone so few rows that a pass for each of the others would show.
function partial_warps(conflict, label,    lane, rows) {
    rows = width / 2
    for (lane = 0; lane < group; lane++)
        place_of[lane] = conflict ? lane % rows * 128 + int(lane / rows) * width : lane * width
    request(3, label "lanes 0-" group - 1 " alone")
    pairs(1, conflict)
    delete place_of[1]
    request(3, label "pairs l^1, lane 1 off")
}

BEGIN {
    group = 128 / width
    depth = group / 2
    pair_condition(0, "")
    for (lane = 0; lane < 32; lane++)
        place_of[lane] = 0
    request(1, "all lanes alike")
    pair_condition(1, "conflicting ")
    partial_warps(0, "")
    partial_warps(1, "conflicting ")
}
