#!/bin/sh
# What reduce promises: right sums everywhere, the published counters reproduced, clear refusals. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

reduce=$BUILD/reduce
built "$reduce"
shared=interleaved-modulo,interleaved-strided,sequential,first-add,unroll-last-warp,unroll-full,cascade,shuffle

measure() {
    measure_csv "$reduce" "$@" --min-time 0 --max-time 0
}

# all_right NAME ROWS: there must be this many rows, each verified.
all_right() {
    is "$1" "$(column verified "$work/out" | tr ' ' '\n' | sort | uniq -c | tr -s ' ' | sed 's/^ //')" "$2 yes"
}

# The load and store efficiencies of a published table, to two digits after the point. The predicted times are within
# 20 % of the published ones, and in their order where these differ by more than 5 %.
test_published_reductions() {
    awk -F, '$3 ~ /^[0-9]/ { printf "%s %.2f %.2f %.0f\n", $1, $3, $4, $2 * 1e6 }' results/published/reduce-rtx3080.csv >"$work/published"
    is "there are published reductions" "$(wc -l <"$work/published" | tr -d ' ')" 9
    : >"$work/times"
    while read -r variant load store time; do
        measures load_efficiency_pct "$load" sim:rtx3080 --variant "$variant" --block 512
        is "$variant: store efficiency" "$(column store_efficiency_pct "$work/out")" "$store"
        is "$variant: elements" "$(column elements "$work/out")" 16777216
        echo "$variant $time $(column predicted_ns "$work/out")" >>"$work/times"
    done <"$work/published"
    is "predicted times beyond 20 % of the published ones" "$(awk '$3 < 0.8 * $2 || $3 > 1.2 * $2' "$work/times")" ""
    is "predicted times in another order" "$(sort -k2,2nr "$work/times" | awk '
        { for (i = 1; i < NR; i++) if (published[i] > 1.05 * $2 && predicted[i] <= $3) print name[i], "before", $1
          name[NR] = $1; published[NR] = $2; predicted[NR] = $3 }')" ""
}

# rises NAME VALUE VALUE...: each value must be above the one before.
rises() {
    label=$1
    shift
    if echo "$@" | awk '{ for (i = 2; i <= NF; i++) if ($i + 0 <= $(i - 1) + 0) exit 1; exit NF < 2 }'; then
        ok "$label"
    else
        fail "$label" "$*"
    fi
}

# What the course report saw on an AMD GPU.
test_published_trends() {
    for type in int32 float64; do
        measure sim:mi210 --type "$type" --variant "$shared"
        conflicts=$(column bank_conflicts "$work/out")
        rises "$type: interleaved-strided has conflicts" 0 "$(echo "$conflicts" | cut -d ' ' -f 2)"
        is "$type: the others have none" "$(echo "$conflicts" | cut -d ' ' -f 1,3-)" "0 0 0 0 0 0 0"
        rises "$type: lanes from step 1 to 2" "$(column active_lanes_pct "$work/out" | cut -d ' ' -f 1,2)"
        branches=$(column branches "$work/out")
        rises "$type: branches from step 6 to 5 to 4" "$(echo "$branches" | awk '{ print $6, $5, $4 }')"
    done
}

# A few blocks stand for the whole grid.
test_some_blocks() {
    counters="requests sectors load_efficiency_pct store_efficiency_pct passes bank_conflicts active_lanes_pct branches barriers"
    measure sim:h200 --variant "$shared,global-neighbored,global-unroll8-warp" --elements 128K --sim-blocks 0
    cp "$work/out" "$work/whole"
    is "each number is read from memory once" "$(column device_read_bytes "$work/whole" | tr ' ' '\n' | sort -u | tr -d '\n')" 524288
    measure sim:h200 --variant "$shared,global-neighbored,global-unroll8-warp" --elements 128K --sim-blocks 3
    for counter in $counters; do
        is "3 blocks give the whole grid's $counter" "$(column "$counter" "$work/out")" "$(column "$counter" "$work/whole")"
    done
}

# Every variant, type and odd size: no sum is wrong, no block races. A simulated large one sums its first blocks.
test_results() {
    variants=$("$reduce" --list | cut -d ' ' -f 1)
    cpu=$(echo "$variants" | grep -c '^cpu-\|^read-limit$')
    gpu=$(echo "$variants" | grep -vc '^cpu-\|^redux$\|^counted$\|^library$')
    sizes=0,1,31,33,1000,65537,1048583 size_count=7 types="int32 int64 float32 float64"
    everything || { sizes=0,33,65537; size_count=3; types=int32; }
    measure cpu --type all --elements $sizes --samples 1
    all_right "cpu: every variant, type and size" $((cpu * 4 * size_count))
    for type in $types; do
        only=$(echo "$type" | grep -c int32) # of the variants that have no other type
        measure sim:h200 --type "$type" --elements $sizes
        all_right "sim:h200: every variant and size of $type" $(((gpu + 2 * only) * size_count))
        everything || continue
        measure sim:mi210 --type "$type" --elements $sizes
        all_right "sim:mi210: every variant and size of $type" $(((gpu + only) * size_count))
    done
    measure sim:h200 --type int32 --elements 131101 --sim-blocks 0
    all_right "sim:h200: all blocks of 131101" $((gpu + 2))
}

# The constants of a block change nothing in the way to AMD's instructions, so these kernels go by the host's compiler, which is faster.
# test_results has the default, 512.
test_blocks() {
    for gpu in h200:32 mi210:64; do
        for type in "int32 ${gpu#*:}:256:*2,1024" "float64 ${gpu#*:},1024"; do
            measure "sim:${gpu%:*}" --via c --elements 5001 --type "${type% *}" --block "${type#* }"
            is "$gpu: ${type% *}, blocks from a warp to 1024" "$(column verified "$work/out" | tr ' ' '\n' | sort -u)" yes
        done
    done
    for gpu in gtx1080 rx7900xtx mi355x; do
        measure "sim:$gpu" --elements 5001
        is "$gpu: every variant" "$(column verified "$work/out" | tr ' ' '\n' | sort -u)" yes
    done
}

test_refusals() {
    refuses "block 0" 2 "$reduce" --device sim:h200 --block 0
    refuses "block 33" 2 "$reduce" --device sim:h200 --block 33
    refuses "block 96" 2 "$reduce" --device sim:h200 --block 96
    refuses "block 2048" 2 "$reduce" --device sim:h200 --block 2048
    refuses "a block below the warp" 2 "$reduce" --device sim:mi210 --block 32
    refuses "elements over the memory" 2 "$reduce" --device sim:h200 --elements 1000G
    refuses "elements over the machine's memory" 2 "$reduce" --device cpu --elements 100000G
    refuses "no such type" 2 "$reduce" --device cpu --type int16
    refuses "an empty type" 2 "$reduce" --device cpu --type int32,
    refuses "a type that the variant lacks" 2 "$reduce" --device sim:h200 --variant redux --type float32
    refuses "the same on the default devices" 2,3 "$reduce" --variant redux --type float32
    refuses "no such instruction" 3 "$reduce" --device sim:mi210 --variant redux
    refuses "no such instruction on older parts" 3 "$reduce" --device sim:v100 --variant redux
    refuses "a GPU's variant on the cpu" 3 "$reduce" --device cpu --variant cascade
    refuses "the cpu's variant on a GPU" 3 "$reduce" --device sim:h200 --variant cpu-simd
    refuses "a library on a simulated part" 3 "$reduce" --device sim:h200 --variant library
    refuses "the cpu has no blocks" 2 "$reduce" --device cpu --variant cpu-serial --block 64
}

# A type that one variant lacks does not keep the others from it.
test_types() {
    measures type "int32 int64 float32 float64 int32" sim:h200 --variant single-pass,redux --type all --elements 100
    measures type "float32 float64" cpu --variant cpu-simd --type float64,float32 --elements 100
}

test_summary() {
    run "$reduce" --device sim:h200 --variant sequential,first-add --elements 64K --quiet --min-time 0 --max-time 0
    is "a table: status" "$status" 0
    check "the summary names its device and numbers" grep -q "^sim:h200, 65536 int32: times are predicted" "$work/out"
    check "the summary says what changed" grep -q "^  first-add .*half the blocks" "$work/out"
    check "the summary says what the counters say" grep -q "lanes .*branches.*barriers" "$work/out"
    check "the summary says what a step gained" grep -Eq "[0-9.]+ times the speed of sequential" "$work/out"
    is "no line is wider than 80" "$(awk 'length > 80' "$work/out")" ""
    check "--list says which libraries there are" grep -Eq "^library +(CUB [0-9.]+|no CUB: .+); (hipCUB [0-9.]+|no hipCUB: .+)" <<LIST
$("$reduce" --list)
LIST
}

# Every chart of reduce from a real run, each with its title; the published figures in the tables.
test_charts() {
    if ! command -v gnuplot >"$work/null"; then
        skip "charts of reduce" "gnuplot is not installed: sh scripts/setup.sh --tests installs it"
        return
    fi
    for device in sim:rtx3080 sim:mi210 cpu; do
        folder=$work/charts/$(echo "$device" | tr : -)
        mkdir -p "$folder"
        case $device in cpu) few="--elements 64K,1M --samples 2" ;; *) few="--via c --sim-blocks 2" ;; esac
        # shellcheck disable=SC2086 # a list of options
        measure "$device" $few
        cp "$work/out" "$folder/reduce.csv"
    done
    run sh plots/draw.sh "$work/charts"
    is "charts are drawn" "$status $(grep -v ' is left out: ' "$work/err")" "0 "
    for chart in plots/reduce-*.gp; do
        title=$(sed -n "s/^title = '\(.*\)'/\1/p" "$chart")
        name=$(basename "$chart" .gp)
        found=$(grep -lF ">$title<" "$work"/charts/*/"$name.svg" "$work/charts/$name.svg" 2>"$work/null" | wc -l)
        case $name in
        reduce-compare | reduce-cpu) is "$name is drawn once" "$found" 1 ;;
        reduce-elements | reduce-global* | reduce-shared*) is "$name is drawn for each GPU" "$found" 2 ;;
        *) check "$name is drawn, or left out with a reason" at_least "$((found + $(grep -c "$name is left out: " "$work/err")))" 1 ;;
        esac
    done
    picture=$work/charts/sim-rtx3080/reduce-global.svg
    is "ours and the published efficiency, side by side" "$(grep -c '>96.15<' "$picture")" 2
}

# on_fake BACKEND OPTION...
on_fake() {
    backend=$1
    shift
    run_with_fakes "$reduce" --device "$backend" --quiet \
        --min-time 0 --max-time 0 --samples 1 --elements 1001 --block 64 --csv - "$@"
}

# test_gpu BACKEND VARIANTS: them, on a fake driver that runs kernels on the host (tests/fakes/fake.h).
test_gpu() {
    has_fake "$1" || return
    on_fake "$1" --variant "$2"
    is "$1: status" "$status $(cat "$work/err")" "0 "
    all_right "$1: every variant" "$(echo "$2" | tr , '\n' | wc -l | tr -d ' ')"
    for variant in first-add counted; do # the last block is left out
        FAKE_FAIL=wrong on_fake "$1" --variant $variant --elements 5001
        is "$1: a wrong sum of $variant" "$status $(column verified "$work/out")" "1 no"
    done
}

# A peak that every processor exceeds.
test_above_peak() {
    run "$reduce" --device cpu --variant cpu-serial,cpu-threads --elements 1M --samples 3 --peak 0.01 --csv -
    is "sums above the memory's peak say so" "$status $(column verdict "$work/out" | tr ' ' '\n' | grep -c above-peak)" "0 2"
}

# sh tests/shell/test_reduce.sh results: nothing but the sums, for a build with the sanitizers.
if [ "${1:-}" = results ]; then
    test_results
    finish
fi
gpu_variants=$("$reduce" --list | cut -d ' ' -f 1 | grep -v '^cpu-\|^redux$\|^library$' | paste -sd ,)
link_fakes "$work/lib"
test_gpu cuda "$gpu_variants,redux"
! everything || test_gpu hip "$gpu_variants"
test_above_peak
run "$reduce" --list-devices
if grep -q '^sim:' "$work/out"; then
    test_published_reductions
    test_published_trends
    test_some_blocks
    test_results
    ! everything || test_blocks
    test_types
    test_summary
    test_charts
    test_refusals
else
    skip "reduce on simulated GPUs" "the simulator is not built here"
fi
finish
