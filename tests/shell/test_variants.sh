#!/bin/sh
# A new variant, made by a row in its probe's table as CONTRIBUTING says, for which the CPU has no kernel: it is left out of
# `all`, and refused by name before the first row.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

tree=$work/tree
copy_tree "$tree"

# add_row PROBE PATTERN ROW: into the probe's table, before the first line that has the pattern.
add_row() {
    awk -v pattern="$2" -v row="$3" 'index($0, pattern) && !done { print row; done = 1 } { print }' \
        "$1/$1.c" >"$tree/$1/$1.c"
}
add_row gmem '{"driver-copy"' '{"new", "a copy", {KERNEL_DEFAULTS}, &(struct gmem_kernel){.entry = "new_copy", COPY}},'
add_row reduce 'ON_CPU("cpu-threads"' 'ON_CPU("new", "a sum", .entry = "new_sum"),'
add_row apsp 'CPU("cpu-course"' 'CPU("new", "a solver", NULL),'

check "probes with a new row are built" make -C "$tree" BUILD=build PLUGINS= build/gmem build/reduce build/apsp
# left_out PROBE OPTION...
left_out() {
    probe=$1
    shift
    check "$probe: the new variant is listed" sh -c "'$tree/build/$probe' --list | grep -q '^new '"
    run "$tree/build/$probe" --device cpu --min-time 0 --max-time 0.01 "$@" --csv "$work/$probe.csv"
    is "$probe: all others run on the CPU" "$status $(cat "$work/err")" "0 "
    check "$probe: rows of the last variant are there" grep -Eq '^[a-z]+,(driver-copy|cpu-threads|cpu-int16),' "$work/$probe.csv"
    refuses "$probe: the new variant is refused by name" 3 "$tree/build/$probe" --device cpu --variant new
}
left_out gmem --elements 4K
left_out reduce --elements 4K
left_out apsp --vertices 64
finish
