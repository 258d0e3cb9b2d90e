# Before a script that calls add(): the errors of groups, and a line on each at the end. probe names them.
function size(x) { return x < 0 ? -x : x }

# The quantile of a group's absolute errors at this share.
function quantile(group, share,    i) {
    i = int(share * rows[group]) + 1
    return sorted[group, i > rows[group] ? rows[group] : i]
}

function add(group, error, what, beaten,    i) {
    if (group != "" && !(group in rows))
        order[++groups] = group
    for (i = ++rows[group]; i > 1 && sorted[group, i - 1] > size(error); i--)
        sorted[group, i] = sorted[group, i - 1]
    sorted[group, i] = size(error)
    if (rows[group] == 1 || size(error) > size(worst[group])) {
        worst[group] = error
        where[group] = what
    }
    below[group] += beaten
}

function print_group(group, variant) {
    printf "%-8s %-24s %5d %8.1f %8.1f %+8.1f %7d  %s\n", probe, variant, rows[group], quantile(group, 0.5),
        quantile(group, 0.9), worst[group], below[group], where[group]
}

END {
    for (i = 1; i <= groups; i++)
        print_group(order[i], order[i])
    if ("" in rows)
        print_group("", "(all)")
}
