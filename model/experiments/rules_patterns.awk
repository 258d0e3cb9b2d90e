# The requests of the experiments on shared memory (docs/rules.md): one per line, with EXPERIMENT, PATTERN and the addresses of
# 32 lanes separated by tabs, and `.` for an inactive lane.
# Called as: awk -v width=8 -f model/experiments/rules_patterns.awk; the width is 8 or 16 bytes.
#
# Lanes are served in groups of 128 / width unless groups merge. A plain pattern has no conflict, so a request takes as many
# passes as it has groups. In a conflicting pattern each group uses `depth` rows of banks that no other group uses. Groups that
# merge then share their passes, which halves the passes, and so many passes take longer than anything else.

# The number without the bit of weight `bit`.
function without(number, bit) {
    return int(number / (2 * bit)) * bit + number % bit
}

# The address of a lane that shares it with the lane whose number differs in `bit`.
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

function address(lane, bit, conflict) {
    return conflict ? conflicting(lane, bit) : plain(lane, bit)
}

# Prints a request from address_of[lane]; missing lanes are inactive.
function request(experiment, name,    lane, text) {
    for (lane = 0; lane < 32; lane++)
        text = text (lane ? " " : "") (lane in address_of ? address_of[lane] : ".")
    print experiment "\t" name "\t" text
    split("", address_of)
}

function pairs(bit, conflict,    lane) {
    for (lane = 0; lane < 32; lane++)
        address_of[lane] = address(lane, bit, conflict)
}

function pair_condition(conflict, label,    bit, lane) {
    for (bit = 1; bit <= 16; bit *= 2) {
        pairs(bit, conflict)
        request(1, label "pairs l^" bit)
    }
    for (lane = 0; lane < 32; lane++)
        address_of[lane] = address(lane, lane < 16 ? 1 : 2, conflict)
    request(1, label "pairs l^1 below lane 16, l^2 above")
    pairs(1, conflict)
    address_of[1] = 96
    request(1, label "pairs l^1 but for lane 1")
}

# A single group has so few rows that a pass for each of the other groups would be visible.
function partial_warps(conflict, label,    lane, rows) {
    rows = width / 2
    for (lane = 0; lane < group; lane++)
        address_of[lane] = conflict ? lane % rows * 128 + int(lane / rows) * width : lane * width
    request(3, label "lanes 0-" group - 1 " alone")
    pairs(1, conflict)
    delete address_of[1]
    request(3, label "pairs l^1, lane 1 off")
}

BEGIN {
    group = 128 / width
    depth = group / 2
    pair_condition(0, "")
    for (lane = 0; lane < 32; lane++)
        address_of[lane] = 0
    request(1, "all lanes alike")
    pair_condition(1, "conflicting ")
    partial_warps(0, "")
    partial_warps(1, "conflicting ")
}
