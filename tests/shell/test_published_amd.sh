#!/bin/sh
# Counters that others published of AMD's GPUs, by the machine code that clang makes of kernels like theirs.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
lanes=$BUILD/lanes

# rows FILE PROGRAM: what an awk program prints of a CSV file's rows.
rows() {
    echo "$2" >"$work/rows.awk"
    awk -f scripts/csv.awk -f "$work/rows.awk" "$1"
}

# total NAME: a figure of the whole kernel in the JSON of `lanes`.
total() {
    tr , '\n' <"$work/out" | sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" | head -n 1
}

# amd_counts FILE ENTRY ARGUMENT...: runs the kernel on an MI210.
amd_counts() {
    file=$1 entry=$2
    shift 2
    run "$lanes" --kernel "tests/data/kernels/$file" --entry "$entry" --via amdgcn --gpu mi210 --allow-races --json - "$@"
    [ "$status" = 0 ] || fail "$entry of $file" "status $status" "$(head -n 3 "$work/err")"
}

# The report's graph has 157 tiles of 32 on each side. All blocks of a launch count alike, so three tiles are enough.
test_apsp() {
    rows results/published/apsp-mi210-counters.csv '{ print row["tile"], row["block"], row["kernel"], row["sq_lds_bank_conflict"] }' >"$work/rows"
    while read -r tile block phase conflicts; do
        case $phase in
        phase1) grid=1 blocks=1 of=1 ;;
        phase2) grid=4 blocks=4 of=312 ;;
        phase3) grid=2x2 blocks=4 of=24336 ;;
        esac
        pitch=$((3 * tile))
        amd_counts published_apsp.cu "$phase" --grid "$grid" --block "$block" -D "TILE=$tile" -D "BLOCK_X=${block%x*}" -D "BLOCK_Y=${block#*x}" \
            --arg "buffer:int:$((pitch * pitch)):random=0,99" --arg "int:$pitch" --arg int:1 </dev/null
        is "conflicts of $phase, tiles of $tile, blocks of $block" "$(total bank_conflicts)" $((conflicts * blocks / of))
    done <"$work/rows"
}

# Of the probe's own kernel with a tile that the block's threads divide into two columns.
test_tile_90() {
    run "$BUILD/apsp" --device sim:mi210 --via amdgcn --variant shared-row --tile 90 --block 45x15 --vertices 90 --quiet --csv "$work/rows.csv"
    is "conflicts of phase1, tiles of 90" "$status $(rows "$work/rows.csv" 'row["kernel"] == "phase1" { print row["bank_conflicts"] }')" "0 45528"
}

# Sums of the numbers from 0: 8192 of them, from the step on that adds while it loads.
test_reduce() {
    rows results/published/reduce-mi.csv 'row["branch_instructions"] { print row["variant"], row["valu_active_threads"], row["branch_instructions"] }' |
        tr - _ >"$work/rows"
    while read -r step lanes_published branches; do
        [ "$branches" ] || branches=$lanes_published lanes_published=
        amd_counts published_reduce.cu "$step" --grid 16 --block 256 --shared 4096 --arg buffer:ulong:8192:index \
            --arg result=buffer:ulong:1:zero --save "result:$work/sum.raw" </dev/null
        case $step in
        interleaved_* | sequential) count=4096 ;;
        *) count=8192 ;;
        esac
        is "$step: its sum" "$(od -An -td8 "$work/sum.raw" | tr -d ' ')" $((count * (count - 1) / 2))
        is "$step: branches of a wave" "$(total branches)" "$(awk "BEGIN { print $branches }")"
        [ -z "$lanes_published" ] || check "$step: active lanes within 2 of $lanes_published" \
            awk "BEGIN { d = 0.64 * $(total active_lanes_pct) - $lanes_published; exit d < -2 || d > 2 }"
    done <"$work/rows"
}

newest=$(newest_clang)
if [ "${newest##*-}" != 19 ]; then
    skip "published counters by machine code" "they follow from the code of clang 19, which is not the newest here"
    exit 0
fi
test_apsp
test_tile_90
test_reduce
exit $((failures > 0))
