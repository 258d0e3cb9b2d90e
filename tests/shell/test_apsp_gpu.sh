#!/bin/sh
# apsp's kernels: they are right on two simulated GPUs and on drivers that run them on the host, reproduce published counters, and
# are refused where they do not fit. No GPU is needed.
# shellcheck disable=SC2154 # work, status: tests/shell/lib.sh
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
. tests/shell/apsp_lib.sh

# All variants except those that run over several tiles, which have their own checks.
steps=$("$apsp" --list | awk '$1 !~ /^(cpu-|shared$|global$)/ { printf "%s%s", comma, $1; comma = "," }')

# Those of them whose tiles have 32 rows by default, and the others.
narrow=baseline,grid-2d,padded,coalesced,shared-column,shared-row
wide=$(echo "$steps" | tr , '\n' | grep -vx "$(echo $narrow | tr , '\n')" | paste -sd , -)

# counts NAME KERNEL EXPECTED OPTION...: load and store conflicts of one launch of the kernel on a GTX 1080.
counts() {
    label=$1 kernel=$2 expected=$3
    shift 3
    run "$apsp" --device sim:gtx1080 --quiet --csv "$work/counts.csv" "$@"
    is "$label" "$(awk -v kernel="$kernel" -f scripts/csv.awk -f tests/shell/apsp_conflicts.awk "$work/counts.csv")" "$expected"
}

# 132 SMs at 1980 MHz do 64 minima per clock each; 104 CUs at 1700 MHz have 64 lanes each for an addition and a minimum.
test_arithmetic() {
    # shellcheck disable=SC2016 # a script of awk's
    echo 'row["kernel"] ~ /phase3/ { print row["ops"] / row["bound_ns"], (row["gop_s"] > row["peak_gop_s"] * 1.0001 ? "above" : "below") }' >"$work/rates.awk"
    run "$apsp" --device sim:h200,sim:mi210 --via c --variant register-tiled,int16 --vertices 4096 --sim-blocks 1 --quiet --csv "$work/all.csv"
    is "phase 3 is bound by arithmetic, and no prediction is above what it allows" "$status $(awk -f scripts/csv.awk -f "$work/rates.awk" "$work/all.csv" | xargs)" \
        "0 16727 below 33454.1 below 5657.6 below 11315.2 below"
    is "the peak itself is no verdict" "$(column verdict "$work/all.csv" | xargs -n 1 | sort -u)" unverified
}

# paths NAME COMMAND...: COMMAND solves a graph with many edges of weight 0; its hops must be those of the CPU.
paths() {
    label=$1
    shift
    rm -f "$work/hops"
    "$@" --vertices 150 --max-weight 3 --output-paths "$work/hops"
    check "$label: the hops are those of the CPU" cmp "$work/cpu-hops" "$work/hops"
    is "$label: paths" "$status $(column paths "$work/out" | xargs -n 1 | sort -u)" "0 $paths_there"
}

test_paths() {
    solve cpu cpu-reference --vertices 150 --max-weight 3 --output-paths "$work/cpu-hops"
    paths_there=$(column paths "$work/out" | xargs -n 1 | sort -u)
    paths "sim:h200" solve sim:h200 register-tiled
    paths "sim:mi210, copied row by row" solve sim:mi210 shared-row --strip copy
    refuses "paths by several devices" 2 "$apsp" --device sim:h200 --variant multi-device --vertices 70 --paths
}

# Tiles of more than 128, which are closed as matrices by themselves.
test_wide() {
    run "$apsp" --device sim:h200 --variant register-tiled,int16 --tile 256 --vertices 260 --quiet --csv "$work/all.csv"
    is "a tile of 256" "$status $(column verified "$work/all.csv" | xargs) $(column tile "$work/all.csv" | xargs -n 1 | sort -u)" "0 yes yes 256"
    asked "$work/all.csv" >"$work/asked-wide"
    for tile in 16 384 1024; do
        refuses "a tile of $tile in registers" 2 "$apsp" --device sim:h200 --variant register-tiled --tile $tile --vertices 70
    done
    refuses "a tile of 64 for several devices" 2 "$apsp" --device sim:h200 --variant multi-device --tile 64 --vertices 70
    refuses "a tile of 64 that a block's shared memory does not hold" 2 "$apsp" --device sim:gtx1080 --variant register-tiled --tile 64 --vertices 1100
    refuses "a tile of 512 in shared memory" 2 "$apsp" --device sim:h200 --variant shared-row --tile 512 --vertices 70
    # shellcheck disable=SC2016 # a script of awk's
    echo 'row["kernel"] == "all" { print row["tile"] }' >"$work/tiles.awk"
    run "$apsp" --device sim:h200 --variant register-tiled,int16 --vertices 1024,1536,2049,5376 --sim-blocks 1 --quiet --csv "$work/all.csv"
    is "larger tiles where there are many" "$status $(awk -f scripts/csv.awk -f "$work/tiles.awk" "$work/all.csv" | xargs)" "0 32 64 128 256 32 32 64 128"
    echo 'row["op"] != "" { print row["kernel"] }' >"$work/ops.awk"
    is "only what copies the matrix says how" "$(awk -f scripts/csv.awk -f "$work/ops.awk" "$work/all.csv" | sort -u | xargs)" "pad unpad"
    run "$apsp" --device sim:gtx1080 --variant register-tiled --vertices 448,576,1024 --sim-blocks 1 --quiet --csv "$work/all.csv"
    is "smaller tiles where a block's shared memory holds them" "$status $(awk -f scripts/csv.awk -f "$work/tiles.awk" "$work/all.csv" | xargs)" "0 32 128 128"
}

# test_shapes DEVICE TILE:BLOCK...: by the host's compiler, because tests of published counters have a shape by AMD's instructions.
test_shapes() {
    device=$1
    shift
    for shape in "$@"; do
        run "$apsp" --device "$device" --via c --variant shared-row,shared-column,unrolled,global --tile "${shape%:*}" --block "${shape#*:}" \
            --vertices 95 --quiet --csv "$work/all.csv"
        is "$device, tile ${shape%:*}, block ${shape#*:}" "$status $(column verified "$work/all.csv" | xargs)" "0 yes yes yes yes"
    done
}

# Rows that do not divide evenly, devices of two kinds, and more devices than parts.
test_several() {
    solve cpu cpu-reference --vertices 300
    while read -r count devices options; do
        # shellcheck disable=SC2086 # a list of options
        solve "$devices" multi-device --vertices 300 $options
        check "$devices $options" cmp "$work/cpu-reference" "$work/multi-device"
        is "$devices $options: devices" "$(column devices "$work/out" | xargs -n 1 | uniq | xargs)" "$count"
    done <<EOF
1 sim:h200 --look-ahead no
2 sim:h200,sim:h200 --devices 2 --exchange host --look-ahead no
3 sim:h200,sim:h200,sim:mi210,sim:h200 --devices 4 --exchange host
EOF
    refuses "more devices than there are" 2 "$apsp" --device sim:h200 --variant multi-device --devices 2 --csv "$work/all.csv"
}

# test_graphs DEVICE VERTICES VARIANTS OPTION...: graphs of every kind by these variants, by the host's compiler: test_gpus runs all of them
# by AMD's instructions, too.
test_graphs() {
    device=$1 vertices=$2 variants=$3
    shift 3
    awk -v n="$vertices" 'BEGIN { print "p sp", n, 10 * n; for (i = 0; i < 10 * n; i++) print "a", i % n + 1, (i * 7 + int(i / n)) % n + 1, 0 }' >"$work/weightless"
    echo "p sp $vertices 0" >"$work/edgeless"
    while read -r label options; do
        # shellcheck disable=SC2086 # a list of options
        run "$apsp" --device "$device" --via c --variant "$variants" $options --full --quiet --csv "$work/all.csv" "$@"
        is "$device: $variants $*, $label" "$status $(column verified "$work/all.csv" | xargs -n 1 | sort | uniq -c | xargs)" \
            "0 $(echo "$variants" | tr , '\n' | wc -l | tr -d ' ') yes"
    done <<EOF
disconnected --vertices $vertices --edges $((vertices * 2 / 3))
complete --vertices $vertices --edges $((vertices * (vertices - 1)))
weights-of-0 --graph $work/weightless
heaviest-weights --vertices $vertices --max-weight 1073741822
edgeless --graph $work/edgeless
EOF
}

# The transfer of the matrix to a device and back, for a graph with repeated edges and an edge from a vertex to itself.
test_ways() {
    printf 'p sp 5 7\na 1 2 9\na 2 3 1\na 1 2 4\na 3 3 2\na 1 2 7\na 4 1 3\na 3 1 1073741823\n' >"$work/repeated"
    solve cpu cpu-reference --graph "$work/repeated"
    while read -r device options; do
        for name in baseline shared-row register-tiled int16; do
            # shellcheck disable=SC2086 # a list of options
            solve "$device" "$name" --graph "$work/repeated" $options
            check "$device $options: $name" cmp "$work/cpu-reference" "$work/$name"
        done
    done <<EOF
sim:h200 --initialise device --strip copy
sim:mi210 --initialise host --host-memory pinned
EOF
}

# No two rows of a table begin alike, because the table shows what distinguishes them. Columns have headings.
test_tables() {
    while IFS=: read -r heading options; do
        # shellcheck disable=SC2086 # a list of options
        run "$apsp" --quiet --samples 1 $options
        is "table of $options: status" "$status" 0
        is "table of $options: no two rows look alike" "$(awk 'NF { NF = 7; print }' "$work/out" | sort | uniq -d)" ""
        is "table of $options: headings" "$(grep 'verdict$' "$work/out" | sed 's/ verdict$//' | tr -s ' ' | paste -sd '|' -)" "$heading"
        is "table of $options: no heading is wider than 80 columns" "$(awk '/verdict$/ && length > 80' "$work/out")" ""
    done <<END
device variant kernel op time ns GB/s +-%:--device sim:h200 --variant transfers --vertices 96
device variant op width time ns +-% GOP/s:--device sim:h200 --variant min-plus-peak
device variant kernel vertices devices time ns +-% GOP/s:--device sim:h200,sim:h200 --variant multi-device --vertices 256
device variant op width GOP/s peak|device variant kernel vertices time ns +-% GOP/s peak:--device cpu --variant cpu-peak,cpu-tiled --vertices 50
device variant kernel vertices time ns +-% GOP/s|device variant kernel op time ns GB/s +-%:--device sim:h200 --variant coalesced,transfers --vertices 96
END
}

test_gpus() {
    has_sim=$("$apsp" --list-devices 2>"$work/null" | grep -c '^sim:')
    [ "$has_sim" -gt 0 ] || {
        skip "kernels" "the simulator is not built here"
        return
    }
    # Two tiles are filled and a third is begun, so that a round has tiles before and after its pivots: by 65 vertices those of 32, by 131
    # those of 64, of which an odd number is left for the third, so that a pair of 16-bit distances is half padding. With tiles of 32 a block
    # that finishes a round has 64 rows and words, of which 131 vertices begin a third, too. A larger graph takes longer and has nothing more.
    sizes=1,2,31,64,65
    all_sizes=$sizes,131
    everything || sizes=1,65 all_sizes=1,131
    for device in sim:h200 sim:mi210; do
        everything || [ $device = sim:h200 ] || continue
        for points in $narrow:$sizes $wide:$all_sizes; do
            variants=${points%:*} of_sizes=${points#*:}
            run "$apsp" --device "$device" --variant "$variants" --vertices "$of_sizes" --full --quiet --csv "$work/all.csv"
            is "$device: ${variants%%,*} to ${variants##*,} are right on every graph" "$status $(column verified "$work/all.csv" | xargs -n 1 |
                sort | uniq -c | xargs)" "0 $(echo "$variants" | tr , '\n' | awk -v sizes="$(echo "$of_sizes" | tr , '\n' | grep -c .)" '
                    { n += /peak/ ? 4 : /transfers/ ? 4 * sizes : sizes } END { print n }') yes"
        done
        run "$apsp" --device "$device" --variant register-tiled,int16 --tile 128 --vertices 1,128,129 --quiet --csv "$work/all.csv"
        is "$device: tiles of 128 are right on small graphs" "$status $(column verified "$work/all.csv" | xargs)" "0 yes yes yes yes yes yes"
        run "$apsp" --device "$device" --variant register-tiled,int16 --tile 64 --vertices 1,131 --quiet --csv "$work/all.csv"
        is "$device: tiles of 64 are right on small graphs" "$status $(column verified "$work/all.csv" | xargs)" "0 yes yes yes yes"
        ! everything || test_graphs "$device" 34 $narrow
        ! everything || test_graphs "$device" 66 "$(echo "$wide" | tr , '\n' | grep -v -e peak -e transfers | paste -sd , -)"
    done
    ! everything || test_graphs sim:h200 66 register-tiled,int16 --tile 64
    ! everything || test_graphs sim:h200 66 register-tiled,int16 --tile 128
    variants="baseline shared-row register-tiled int16 global"
    same "random" sim:h200 --vertices 50 --edges 700 --max-weight 9
    everything || variants="shared-row int16"
    same "heaviest weights" sim:mi210 --vertices 40 --max-weight 1073741822
    if everything; then
        test_shapes sim:h200 16:16x16 48:16x16 64:32x8 78:39x13 80:40x16
        test_several
        test_wide
        test_tables
        test_shapes sim:h200 90:45x15
        test_shapes sim:mi210 32:8x32 90:45x15
    else
        test_shapes sim:h200 48:16x16
    fi
    test_paths
    test_ways
    for weight in 100 20000; do
        run "$apsp" --device sim:h200 --variant int16 --vertices 60 --max-weight "$weight" --quiet --csv "$work/all.csv"
        is "int16 on a GPU, weights to $weight" "$status $(column verified "$work/all.csv" | xargs) $(column width_bytes \
            "$work/all.csv" | xargs -n 1 | sort -u)" "0 yes $([ "$weight" = 100 ] && echo 2 || echo 4)"
    done
    run "$apsp" --device sim:h200 --variant int16 --vertices 2049 --max-weight 100000 --sim-blocks 1 --quiet --csv "$work/all.csv"
    is "int16 has the tile of the bits that it takes" "$status $(column tile "$work/all.csv" | xargs -n 1 | sort -u)" "0 128"
    refuses "a tile that only 16 bits leave room for" 2 "$apsp" --device sim:gtx1080 --variant int16 --vertices 384 --tile 64 --max-weight 100000
    check "it names the tile" grep -q '^apsp: --tile 64 needs 52224 bytes' "$work/err"
    for weight in 10922 10923; do # a path of 21844, and an edge more: 32766 fits below 32767
        printf 'p sp 3 2\na 1 2 %d\na 2 3 %d\n' $((21844 - weight)) $weight >"$work/chain.gr"
        run "$apsp" --device sim:h200 --variant int16 --graph "$work/chain.gr" --quiet --csv "$work/all.csv"
        is "int16 on a GPU, a chain whose last edge weighs $weight" "$status $(column verified "$work/all.csv" | xargs) $(column \
            width_bytes "$work/all.csv" | xargs -n 1 | sort -u)" "0 yes $((weight == 10922 ? 2 : 4))"
    done
    run "$apsp" --device sim:gtx1080 --variant global --tile 128 --vertices 20 --quiet --csv "$work/all.csv"
    is "a tile from global memory that shared memory does not hold" "$status $(column verified "$work/all.csv" | xargs)" "0 yes"
    run "$apsp" --device sim:h200 --variant "$asking" --vertices 70 --quiet --csv "$work/all.csv"
    asked "$work/all.csv" >"$work/asked"
    run "$apsp" --device sim:h200 --variant register-tiled,int16 --tile 128 --vertices 300 --quiet --csv "$work/tile-128.csv"
    asked "$work/tile-128.csv" >"$work/asked-128"
    # shellcheck disable=SC2016 # a script of awk's
    echo 'row["kernel"] ~ /^phase|round/ { sum[row["variant"]] += row["ops"] } END { for (name in sum) print name, sum[name] }' >"$work/ops.awk"
    is "the phases' updates: rounds by the padded matrix" "$(awk -f scripts/csv.awk -f "$work/ops.awk" "$work/all.csv" | LC_ALL=C sort | xargs)" \
        "baseline $((70 * 70 * 70)) coarsened $((128 * 128 * 128)) int16 $((96 * 128 * 128)) padded $((96 * 96 * 96)) register-tiled $((96 * 128 * 128))"
    # shellcheck disable=SC2016 # a script of awk's
    echo 'row["kernel"] ~ /prepare|round/ { print row["variant"], row["kernel"], (row["requests"] * row["passes"] > 0) }' >"$work/counted.awk"
    is "launches of small tiles are counted" "$(awk -f scripts/csv.awk -f "$work/counted.awk" "$work/all.csv" | LC_ALL=C sort | xargs)" \
        "int16 prepare 1 int16 whole_round 1 register-tiled prepare 1 register-tiled whole_round 1"
    is "the updates with tiles of 128" "$(awk -f scripts/csv.awk -f "$work/ops.awk" "$work/tile-128.csv" | LC_ALL=C sort | xargs)" \
        "int16 $((384 * 512 * 512)) register-tiled $((384 * 384 * 384))"
    counts "published conflicts, by row" phase1 "2048 1056" --variant shared-row --tile 32 --block 16x16 --vertices 40
    counts "published conflicts, by column" phase1 "30720 15840" --variant shared-column --tile 32 --block 16x16 --vertices 40
    counts "a block of 32x8 has none" phase3 "0 0" --variant coarsened --vertices 100
    counts "blocks of a large graph" phase1 "2048 1056" --variant shared-row --vertices 5000 --sim-blocks 2
    is "some blocks alone are not verified" "$(column verified "$work/counts.csv" | xargs)" ""
    is "and each row says so" "$(column verdict "$work/counts.csv" | xargs -n 1 | sort -u)" unverified
    for variant in transfers multi-device weak-scaling; do
        refuses "some blocks of $variant" 2 "$apsp" --device sim:h200 --sim-blocks 2 --variant "$variant" --vertices 256
    done
    run "$apsp" --device sim:h200 --sim-blocks 2 --variant min-plus-peak --quiet --csv "$work/all.csv"
    is "some blocks of add-min instructions are not checked" "$status $(column verdict "$work/all.csv" | xargs -n 1 | sort -u)" "0 unverified"
    run "$apsp" --device sim:h200 --sim-blocks 2 --vertices 70 --quiet --csv "$work/all.csv"
    is "all variants leave out those that are refused" "$status $(column variant "$work/all.csv" | tr ' ' '\n' |
        grep -cx 'transfers\|multi-device\|weak-scaling')" "0 0"
    test_arithmetic
    refuses "a tile too large for shared memory" 2 "$apsp" --device sim:mi210 --variant shared-row --tile 96 --block 32x32
    refuses "a block with too many threads" 2 "$apsp" --device sim:h200 --variant grid-2d --tile 64 --block 64x32
    refuses "a block larger than the tile" 2 "$apsp" --device sim:h200 --variant shared-row --tile 16 --block 32x8
    refuses "a block that no tile by default can take" 2 "$apsp" --device sim:h200 --variant shared --block 1x1
    refuses "too many elements a thread" 2 "$apsp" --device sim:h200 --variant shared-row --tile 90 --block 8x8
    refuses "two dimensions where there is one" 2 "$apsp" --device sim:h200 --variant baseline --block 32x32
    refuses "a block that is no size" 2 "$apsp" --device sim:h200 --variant shared-row --block 16x
    refuses "a GPU variant on the CPU" 3 "$apsp" --device cpu --variant shared-row
}

# asked CSV: the bytes of global memory that each phase asked for.
asking=baseline,padded,coarsened,register-tiled,int16
asked() {
    # shellcheck disable=SC2016 # a script of awk's
    echo 'row["kernel"] ~ /^phase|round/ { print row["variant"], row["kernel"], row["vertices"], row["useful_bytes"] }' >"$work/asked.awk"
    awk -f scripts/csv.awk -f "$work/asked.awk" "$1"
}

# on_devices BACKEND DEVICES OPTION...: runs apsp on this many devices of a fake driver; the CSV is in $work/out.
on_devices() {
    devices=$(seq -s , -f "$1:%.0f" 0 $(($2 - 1)))
    shift 2
    run_with_fakes FAKE_DEVICES=3 FAKE_UNITS="${FAKE_UNITS:-132}" FAKE_MEMORY_MB=128 "$apsp" --device "$devices" --quiet --samples 1 --csv - "$@"
}

# on BACKEND DEVICES VARIANT OPTION...: a solution; distances land in $work/VARIANT.
on() {
    on_backend=$1 count=$2 variant=$3
    shift 3
    rm -f "$work/$variant"
    on_devices "$on_backend" "$count" --variant "$variant" --output "$work/$variant" "$@"
}

# test_fake_driver BACKEND LINK WAY:ORDER...: LINK is how the first two devices are joined, ORDER is FAKE_ORDER for a way of
# exchange.
test_fake_driver() {
    solve cpu cpu-reference --vertices 70
    for name in shared-row int16; do
        on "$1" 1 "$name" --vertices 70
        check "$1, a fake driver: $name" cmp "$work/cpu-reference" "$work/$name"
    done
    on "$1" 1 register-tiled --vertices 70 --strip copy --host-memory pinned --initialise host
    check "$1: pinned memory, copied row by row" cmp "$work/cpu-reference" "$work/register-tiled"
    on_devices "$1" 1 --variant transfers --vertices 70
    is "$1: the matrix's ways" "$(column verified "$work/out" | xargs) $(column op "$work/out" | xargs -n 1 | sort | uniq -c |
        xargs)" "yes yes yes yes 6 pageable+kernel+host 6 pinned+copy+device 6 pinned+copy+host 7 pinned+kernel+host"
    solve cpu cpu-reference --vertices 300
    for order in $3; do
        FAKE_ORDER=${order#*:} on "$1" 3 multi-device --devices 3 --vertices 300 --exchange "${order%:*}"
        check "$1: three devices, rows sent by ${order%:*}, in the order ${order#*:}" cmp "$work/cpu-reference" "$work/multi-device"
    done
    for order in lazy 2; do
        FAKE_ORDER=$order on "$1" 1 out-of-core --vertices 300 --memory-limit 2000K
        check "$1: a matrix in the host's memory, in the order $order" cmp "$work/cpu-reference" "$work/out-of-core"
    done
    is "$1: its strips and what they take" "$(column tile "$work/out" | xargs) $(column footprint_bytes "$work/out" | xargs)" "128 1179648"
    FAKE_FAIL=copy:2 FAKE_ORDER=lazy on_devices "$1" 1 --variant out-of-core --vertices 300 --memory-limit 2000K
    is "$1: a copy fails while other streams wait" "$status $(grep -c '^apsp: .*copying to the host failed' "$work/err")" "1 1"
    paths "$1" on "$1" 1 int16
    is "$1: paths that the host looks at on the way are not recorded" "$(column launch "$work/out" | xargs)" stream
    for units in 4 6 132; do # tiles of 32 and 4 columns, of 64 and 4, of 32 and 2
        FAKE_UNITS=$units on "$1" 1 register-tiled --vertices 300
        check "$1: one device of $units units, a round in one launch" cmp "$work/cpu-reference" "$work/register-tiled"
    done
    for launch in graph stream; do
        FAKE_ORDER=3 on "$1" 1 register-tiled --vertices 300 --tile 128 --launch $launch
        check "$1: one device, the next pivot beside the rest, by $launch" cmp "$work/cpu-reference" "$work/register-tiled"
        is "$1: and the row says so" "$status $(column launch "$work/out" | xargs)" "0 $launch"
    done
    on "$1" 3 multi-device --devices 3 --vertices 140
    is "$1: devices that get rows share a solution" "$(column kernel "$work/out") $(column devices "$work/out" |
        xargs -n 1 | sort | uniq -c | xargs)" "copy-in init pad phase1 phase2 phase3 unpad exchange copy-out all write 11 2"
    is "$1: how devices are joined" "$(sed -n "s/^# $1:0 to $1:[12]: \(.*\)[;].*/\1/p" "$work/out" | xargs)" "$2, direct PCIe, direct"
    is "$1: how fast" "$(grep -cE "^# $1:[012] to $1:[012]: .*; [0-9.e+]+ GB/s from device to device, [0-9.e+]+ GB/s through" \
        "$work/out")" 6
}

# launches_one_by_one NAME OPTION...: a driver that makes no graph solves as before.
launches_one_by_one() {
    label=$1
    shift
    run_with_fakes "$apsp" --samples 1 --csv - --variant shared-row "$@"
    is "$label" "$status $(column launch "$work/out" | xargs -n 1 | sort -u) $(column verified "$work/out" | xargs -n 1 | sort -u)" "0 stream yes"
    is "$label: it is said once why" "$(grep -c '^apsp: launches go to the device one by one, .*: .' "$work/err")" 1
}

# test_without_graphs BACKEND LIBRARY FUNCTION: a driver that lacks this function of graphs is made from the fake one by another letter
# in its name.
test_without_graphs() {
    FAKE_FAIL=graph:3 launches_one_by_one "$1: the driver makes no graph of what was recorded" --device "$1" --vertices 40
    FAKE_FAIL=unrecorded:2 run_with_fakes "$apsp" --samples 1 --csv - --variant shared-row --vertices 40 --device "$1"
    is "$1: a launch that is not recorded leaves no graph" "$status $(column launch "$work/out" | xargs) $(column verified "$work/out" | xargs) \
$(grep -c '^apsp: .*because no graph holds them: .*launch' "$work/err")" "0 stream yes 1"
    FAKE_FAIL=graph:4 run_with_fakes "$apsp" --quiet --csv - --variant shared-row --vertices 40 --device "$1"
    is "$1: a graph that does not start" "$status $(grep -c 'launching a graph failed' "$work/err")" "1 1"
    rm "$work/lib/$2"
    LC_ALL=C sed "s/$3/${3%?}X/g" "$BUILD/tests/fake_$1.so" >"$work/lib/$2"
    launches_one_by_one "$1: a driver without $3" --device "$1" --vertices 40,50
    ln -sf "$(cd "$BUILD" && pwd)/tests/fake_$1.so" "$work/lib/$2"
}

# The run ends with its steps, each of which is queued while the clock's kernel keeps the GPU busy. HIP's fake driver notes all launches.
test_held() {
    rm -f "$work/launches"
    FAKE_LAUNCHES=$work/launches on hip 1 shared-row --vertices 20
    is "each step comes behind a kernel that keeps the GPU busy" "$(sed 's/ .*//' "$work/launches" | tail -n 6 | xargs)" \
        "measure_clock pad measure_clock phase1 measure_clock unpad"
    FAKE_KERNEL=measure_clock FAKE_FAIL=launch:2 on hip 1 shared-row --vertices 20
    is "a fault of that kernel" "$status $(wc -l <"$work/err" | tr -d ' ') $(grep -c 'hipErrorIllegalAddress' "$work/err")" "1 1 1"
}

# Numbers of devices: powers of two, and all that are there and have rows; and the charts of these runs.
test_devices_by_default() {
    # shellcheck disable=SC2016 # a script of awk's
    echo 'row["kernel"] == "all" && row["variant"] ~ /-[ds]/ { print row["vertices"] ":" row["devices"] row["verified"] }' >"$work/points.awk"
    on_devices "$1" 3 --variant multi-device,weak-scaling,transfers --vertices 140,300
    mv "$work/out" "$work/several.csv"
    on_devices "$1" 3 --variant register-tiled,int16 --vertices 20,140
    grep '^apsp,' "$work/out" >>"$work/several.csv"
    mv "$work/several.csv" "$work/out"
    is "$1: numbers of devices by default" "$status $(awk -f scripts/csv.awk -f "$work/points.awk" "$work/out" | xargs)" \
        "0 140:1yes 140:2yes 300:1yes 300:2yes 300:3yes 140:1yes 256:2yes 300:1yes 384:2yes 512:3yes"
    if ! command -v gnuplot >"$work/null"; then
        skip "charts" "gnuplot is not installed: sh scripts/setup.sh --tests installs it"
        return
    fi
    mkdir "$work/charts"
    mv "$work/out" "$work/charts/apsp.csv"
    run sh plots/draw.sh "$work/charts"
    is "charts: status" "$status" 0
    has "charts" "$(sed -n 's|.*/apsp-\(.*\)[.]svg$|\1|p' "$work/out" | sed 's/-fake-gpu-0$//' | grep -v fake | xargs)" \
        compare devices ladder phases strong time transfers weak
    check "parts of a whole by name" grep -q '>exchange<' "$work/charts/apsp-devices-fake-gpu-0.svg"
    check "bars by number of devices" grep -q '>3<' "$work/charts/apsp-devices-fake-gpu-0.svg"
    check "ways by name" grep -q '>pinned<' "$work/charts/apsp-transfers-fake-gpu-0.svg"
}

# Panels made ahead, halves of phase 3 side by side, and all pivots of a strip at once.
test_fake_wide() {
    solve cpu cpu-tiled --vertices 520
    FAKE_ORDER=lazy on cuda 1 register-tiled --vertices 520 --tile 256
    check "a tile of 256 on one device" cmp "$work/cpu-tiled" "$work/register-tiled"
    for order in peer:lazy host:3; do
        FAKE_ORDER=${order#*:} on cuda 3 multi-device --devices 3 --vertices 520 --tile 256 --exchange "${order%:*}"
        check "a tile of 256 on three devices, rows sent by ${order%:*}" cmp "$work/cpu-tiled" "$work/multi-device"
    done
    for order in lazy 3; do
        FAKE_ORDER=$order on cuda 1 out-of-core --vertices 520 --memory-limit 4M
        check "strips of 256 rows, in the order $order" cmp "$work/cpu-tiled" "$work/out-of-core"
    done
    is "their rows" "$(column tile "$work/out" | xargs)" 256
}

# The CUDA and HIP backends, on fake drivers that run kernels on the host.
test_fake_drivers() {
    link_fakes "$work/lib"
    for backend in cuda hip; do
        has_fake "$backend" || continue
        if [ $backend = cuda ]; then
            test_fake_driver cuda NVLink "peer:lazy peer:1 peer:4 host:lazy host:2"
            test_devices_by_default cuda
            on cuda 1 "$asking" --vertices 70
            is "bytes that the sources ask for are those that the simulator counts" "$(asked "$work/out")" "$(cat "$work/asked")"
            on cuda 1 register-tiled,int16 --tile 128 --vertices 300
            is "the same with a tile of 128" "$(asked "$work/out")" "$(cat "$work/asked-128")"
            if everything; then
                on cuda 1 register-tiled,int16 --tile 256 --vertices 260
                is "the same with a tile of 256" "$(asked "$work/out")" "$(cat "$work/asked-wide")"
                test_fake_wide
            fi
            ! everything || test_without_graphs cuda libcuda.so.1 cuGraphLaunch
        elif everything; then
            test_fake_driver hip "Infinity Fabric, 1 hop" host:1
            test_held
            test_without_graphs hip libamdhip64.so hipStreamEndCapture
        fi
    done
}

test_gpus
test_fake_drivers
finish
