# Where a line over a sweep must not run on, because rows lack: one would read the figures between as computed.

BEGIN { GAP = 2.5 } # so that a single row may lack, also where steps differ as those of 4, 5, 6, 7 and 8 KiB do

# Fills after_gap with the rows that the line from the row before does not reach. Bandwidths on the x axis are no sweep.
function find_gaps(    i, line, count, member) {
    split("", after_gap)
    for (i = 1; i <= picked_count && !x_is_name && row_columns == 1 && x_column !~ /_gb_s$/; i++) {
        line = series_at[picked[i]] SUBSEP origin_of(picked[i])
        member[line, ++count[line]] = picked[i]
    }
    for (line in count) {
        find_gaps_of(line, count[line], member)
    }
}

# Sweeps go by sums or by factors, so a gap is long as a difference and as a factor. It is long beside the shorter of its
# neighbours and, as a factor, beside the usual one. So a sparse stretch stays a line.
function find_gaps_of(line, count, member,    i, steps, from, to, behind, difference, factor, usual) {
    for (i = 2; i <= count; i++) {
        from = position[member[line, i - 1], 1]
        to = position[member[line, i], 1]
        if (to > from) {
            behind[++steps] = member[line, i]
            difference[steps] = to - from
            factor[steps] = from > 0 ? octaves(to / from) : 1e9
        }
    }
    usual = median(factor, steps)
    for (i = 1; i <= steps && steps > 1; i++) {
        if (factor[i] > GAP * usual && factor[i] > GAP * beside(factor, steps, i) &&
            difference[i] > GAP * beside(difference, steps, i)) {
            after_gap[behind[i]] = 1
        }
    }
}

# The logarithm to base 2, between powers of 2 along a straight line, because some programs of awk have no logarithm.
function octaves(x,    whole) {
    for (whole = 0; x >= 2; whole++) {
        x /= 2
    }
    return whole + x - 1
}

function beside(step, steps, i) {
    return i == 1 || (i < steps && step[i + 1] < step[i - 1]) ? step[i + 1] : step[i - 1]
}

# Of an even number the lower one.
function median(list, count,    i, j, sorted) {
    for (i = 1; i <= count; i++) {
        for (j = i; j > 1 && sorted[j - 1] > list[i]; j--) {
            sorted[j] = sorted[j - 1]
        }
        sorted[j] = list[i]
    }
    return sorted[int((count + 1) / 2)]
}
