#!/bin/sh
# The model's figures in measured rows of a known GPU (a fake driver that calls itself an H200), and for a grid of which only some
# blocks were simulated.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

gmem=$BUILD/gmem
apsp=$BUILD/apsp
built "$gmem"
built "$apsp"
built "$BUILD/levels"
built "$BUILD/reduce"
built "$BUILD/smem"

csv=$work/rows.csv

# on_h200 PROBE OPTION...
on_h200() {
    rm -f "$csv"
    run_with_fakes FAKE_NAME="NVIDIA H200" FAKE_UNITS=132 "$@" --device cuda:0 --quiet --samples 2 --csv "$csv"
}

# filled COLUMN...: each column must have a figure in every row.
filled() {
    for name in "$@"; do
        is "a measured row has $name" "$(column "$name" "$csv" | wc -w | tr -d ' ')" "$(grep -vc '^#\|^probe,' "$csv")"
    done
}

test_measured() {
    on_h200 "$gmem" --variant copy,read --stride 1 --width 4 --elements 64K
    is "measured rows of a known part: status" "$status $(cat "$work/err")" "0 "
    is "the part" "$(column part "$csv")" "h200 h200"
    is "they stay measured" "$(column source "$csv")" "measured measured"
    filled bound_ns bound_by predicted_ns prediction_error_pct requests warps branches time_ns_median
    # shellcheck disable=SC2016 # a script of awk's
    echo '{ e = 100 * (row["predicted_ns"] / row["time_ns_median"] - 1); if (e - row["prediction_error_pct"] > 0.02 * (1 + e * e)) exit 1 }' >"$work/error.awk"
    check "the error is the prediction's" awk -f scripts/csv.awk -f "$work/error.awk" "$csv"
    on_h200 "$gmem" --variant copy --width 4 --elements 64K --predict no
    is "--predict no" "$(column part "$csv") $(column bound_ns "$csv")$(column predicted_ns "$csv")" "h200 "
    on_h200 "$BUILD/levels" --variant latency,latency-store --footprint 4K,256K,8M
    is "latencies of every level: status" "$status $(cat "$work/err")" "0 "
    filled predicted_ns predicted_latency_ns
    on_h200 "$BUILD/smem" --variant load --width 4 --stride 1,2
    is "accesses of shared memory: status" "$status $(cat "$work/err")" "0 "
    filled predicted_cycles_per_request predicted_bytes_per_clock
    cycles=$(column predicted_cycles_per_request "$csv")
    run "$BUILD/smem" --device sim:h200 --variant load --width 4 --stride 1,2 --quiet --csv "$csv"
    is "a measured row has what its simulation has" "$cycles" "$(column cycles_per_request "$csv")"
    on_h200 "$apsp" --variant register-tiled,shared-row --vertices 256
    is "apsp: status" "$status $(cat "$work/err")" "0 "
    # shellcheck disable=SC2016 # a script of awk's
    echo 'row["kernel"] ~ /phase|round|all/ && !(row["predicted_ns"] >= row["bound_ns"] && row["bound_ns"] > 0) { print row["kernel"] }' >"$work/phases.awk"
    is "each step's time is the median of several solutions" "$(column samples "$csv" | xargs -n 1 | sort | uniq -c | xargs)" "6 1 11 2"
    is "every phase is predicted" "$(awk -f scripts/csv.awk -f "$work/phases.awk" "$csv")" ""
    on_h200 "$apsp" --variant register-tiled --tile 128 --vertices 256
    is "every phase with look-ahead is predicted" "$status $(awk -f scripts/csv.awk -f "$work/phases.awk" "$csv")" "0 "
}

# Other processes predict points: in rounds while these are measured, in other runs before their turn; with one processor the program itself
# does. The figures are the same, also if these processes end early.
beside="--device cuda:0 --quiet --variant copy,read --stride 1,2 --width 4 --elements 64K --csv $csv"
in_rounds="--budget 30 --noise 100" # ends after the second round
# on_beside THREADS PROGRAM OPTION...
on_beside() {
    threads=$1
    shift
    rm -f "$csv"
    run_with_fakes FAKE_NAME="NVIDIA H200" FAKE_UNITS=132 NCU="$PWD/tests/fakes/ncu" BANKSHOT_SIM_THREADS="$threads" "$@"
}
figures() {
    echo "$(column predicted_ns "$csv") $(column requests "$csv")" | xargs
}
test_predicted_beside() {
    # shellcheck disable=SC2086 # options
    on_beside 1 "$gmem" $beside $in_rounds
    is "predicted by the program itself: status" "$status $(cat "$work/err")" "0 "
    filled predicted_ns
    figures >"$work/itself"
    for way in "2 $in_rounds" "4 $in_rounds" "1 --full --samples 2" "3 --full --samples 2" "2 --samples 2" "3 --max-time 0.1 --device cpu,cuda:0"; do
        # shellcheck disable=SC2086 # options
        on_beside "${way%% *}" "$gmem" $beside ${way#* }
        is "predicted by $way: the same figures" "$status $(figures | cmp - "$work/itself" 2>&1)" "0 "
    done
    # The keeper of folders, which has a group of its own, lives on.
    for way in "$in_rounds" "--full --samples 2"; do
        # shellcheck disable=SC2016,SC2086 # a script; options
        on_beside 3 BANKSHOT_ROWS="$csv" sh -c '
            "$0" "$@" & program=$!
            while ! grep -q "^gmem" "$BANKSHOT_ROWS" 2>/dev/null && kill -0 $program; do sleep 0.02; done
            workers=$(pgrep -P $program -g 0) && kill -KILL $workers && wait $program && echo "$workers" | wc -l' "$gmem" $beside $way
        is "$way: two processes that are killed cost no prediction" "$status $(xargs <"$work/out") $(figures | cmp - "$work/itself" 2>&1)" "0 2 "
    done
}

# What follows from a prediction is there even if the row was measured before the prediction was made, and never again.
test_predicted_after() {
    on_beside 2 "$BUILD/reduce" --device cuda:0 --quiet --variant sequential --elements 64K,128K --budget 0.5 --counters --csv "$csv"
    filled predicted_ns certainty expected_error_pct counted_requests counters
    is "each is compared with the profiler's counts" "$status $(cat "$work/err")" \
        "0 reduce: counters: 0 rows agree with the model, $(grep -c '^reduce,' "$csv") differ"
}

# An H100 opens rows of memory in five stacks and an H200 in six, whatever these move a second: of loads that need a row each they took
# 30.65 and 24.93 ps an element.
test_rows() {
    run "$gmem" --device sim:h100,sim:h200 --variant read --width 4 --stride 64 --elements 4M --quiet --csv "$csv"
    ratio=$(column predicted_ns "$csv" | xargs | awk '{ printf "%d", 100 * $1 / $2 }')
    check "an H100 takes 1.2 times an H200's time where each element is in a row of memory of its own" at_least "$ratio" 119
    check "and not the ratio of their peaks, 1.43" at_least 126 "$ratio"
}

# requests_of BLOCKS: of each phase. Five rows of tiles are the fewest with more than 20 blocks in phase 3.
requests_of() {
    run "$apsp" --device sim:h200 --variant register-tiled --tile 128 --vertices 640 --sim-blocks "$1" --quiet --csv "$work/sampled.csv"
    # shellcheck disable=SC2016 # a script of awk's
    echo 'row["kernel"] ~ /phase/ { print row["kernel"], row["requests"] }' >"$work/requests.awk"
    awk -f scripts/csv.awk -f "$work/requests.awk" "$work/sampled.csv"
}

# Blocks of the pivot's row and column return at once: a sample has its share of them.
test_samples() {
    all=$(requests_of 0)
    for blocks in 2 20; do
        is "--sim-blocks $blocks: requests of each phase" "$(requests_of "$blocks")" "$all"
    done
    run "$gmem" --device sim:h200 --variant copy --width 4 --elements 1M --sim-blocks 8 --csv "$csv"
    is "blocks alike have no sampling error" "$(column sampling_error_pct "$csv")" 0.00
    run "$gmem" --device sim:h200 --variant read --width 4 --stride 1 --elements 70M --sim-blocks 32 --csv "$csv"
    is "no block of a large grid is taken twice" "$(column verified "$csv")" yes
    for blocks in 0 4; do
        run "$BUILD/reduce" --device sim:h200 --variant single-pass --elements 256K --sim-blocks $blocks --csv "$csv" --quiet
        echo "$(column requests "$csv") $(column predicted_ns "$csv")"
    done | sort -u >"$work/last_block"
    is "the last block, which adds the others' sums, runs in each sample, once" "$(wc -l <"$work/last_block" | tr -d ' ')" 1
    run "$gmem" --device sim:h200 --variant copy --width 4 --elements 64K --sim-blocks 0 --csv "$csv"
    is "where all blocks ran there is none" "$(column sampling_error_pct "$csv")" ""
}

# near NAME PERCENT PROBE[:FILE] OPTION...: the worst prediction of these rows, compared with rows that were measured on an H200.
near() {
    name=$1 most=$2 probe=${3%:*} file=${3#*:}
    shift 3
    run "$BUILD/$probe" --device sim:h200 --quiet --csv "$csv" "$@"
    worst=$(awk -f scripts/csv.awk -f model/experiments/validate_groups.awk -f model/experiments/validate.awk "results/h200/$file.csv" "$csv" |
        awk -v most="$most" '/\(all\)/ { rows = $3; worst = $6 } END { if (!rows || worst > most || worst < -most) print rows + 0, worst }')
    is "$name: within $most % of what an H200 measured" "$worst" ""
}

# near_cycles NAME PERCENT: the same of the cycles of each request in the rows of the check before.
near_cycles() {
    # shellcheck disable=SC2016 # a script of awk's
    awk -f scripts/csv.awk -f - "results/h200/$file.csv" "$csv" >"$work/cycles" <<'END'
{ place = row["variant"] " " row["cluster"] " " row["distance"] " " row["width_bytes"] " " row["stride"] }
FILENAME ~ /^results/ { measured[place] = row["cycles_per_request"] }
FILENAME !~ /^results/ && place in measured { print 100 * (row["cycles_per_request"] / measured[place] - 1), place }
END
    check "$1: within $2 % in $(wc -l <"$work/cycles" | tr -d ' ') rows" awk -v most="$2" '$1 > most || $1 < -most { exit 1 } END { exit !NR }' "$work/cycles"
}

test_near_measured() {
    near "dependent loads from shared memory" 5 smem --variant load-latency --width 1,4 --stride 1,2,8,32
    near_cycles "their cycles" 2
    if makes_ptx; then
        near "dependent loads from other blocks' shared memory" 5.5 smem:smem-clusters --via ptx --variant remote-latency --cluster 1,2,16 --distance 0,1,8
        near_cycles "their cycles" 3
    else
        skip "dependent loads from other blocks' shared memory" "no compiler makes PTX here"
    fi
    near "misaligned copies of 1 byte" 13 gmem --variant offset --width 1 --offset 0,1,32
    near "kernels in shared memory, which the model was not fitted on" 22 apsp --variant tile-64,coarsened,occupancy,shared-column \
        --vertices 4096 --sim-blocks 8
    near "solutions with look-ahead, whose phases overlap" 9 apsp --variant register-tiled --tile 128 --vertices 1024,2048,4096 --sim-blocks 8
    near "stores of whole sectors, for which nothing waits" 19 gmem --variant write --width 2 --stride 1 --elements 4799987712
    near "sums that take little longer than their launches" 21 reduce --variant single-pass,redux,counted,vector,read-limit \
        --elements 1024,4096,16384,65536,262144,1M
    near "chains in shared memory, which each launch builds anew" 20 levels --variant latency-shared --footprint 1K,16K,128K,160K,224K
    near "graphs whose rounds are one launch each" 18 apsp --variant register-tiled,int16 --tile 64 --vertices 1024,2048 --sim-blocks 8
    near "a gather in windows that the last-level cache holds, and in one that it does not" 20 gmem --variant gather --width 8 \
        --window 8M,512M --elements 799997952
    near "scatters, of whose sectors L2 gives up some before they are complete" 20 gmem --variant scatter --width 8 \
        --window 16K,128K,512M --elements 799997952
    near "stores of 1 byte, where two requests write to each line and leave it partial" 9 gmem --variant write --width 1 --stride 2 \
        --elements 4799987712
    near "transposes by columns, of whose sectors L2 gives up some or none" 14 smem --variant transpose-naive --elements 64M
    near "loops over shared memory, of which a few rounds are simulated" 1 smem --variant load,store,atomic-add --width 4 --stride 1,2,32
    near "copies by tiles of 2-byte elements, whose neighbours share rows of memory" 15 smem --variant tile-copy --width 2 --elements 64M
    run "$apsp" --device sim:h200 --variant register-tiled --tile 128 --vertices 1536 --sim-blocks 8 --quiet --csv "$csv"
    # shellcheck disable=SC2016 # a script of awk's
    echo 'row["kernel"] ~ /phase/ { sum += row["predicted_ns"] } row["kernel"] == "all" { all = row["predicted_ns"] } END { printf "%d", 100 * all / sum }' >"$work/all.awk"
    check "where phase 3 leaves units free, the next pivot's kernels run at full speed" \
        at_least 70 "$(awk -f scripts/csv.awk -f "$work/all.awk" "$csv")"
    near "misaligned copies of 4 bytes" 7 gmem --variant offset --width 4 --offset 0,1,4,8
}

# within NAME PUBLISHED PREDICTED: nanoseconds.
within() {
    check "$1: within 26 % of the published time" at_least "$(echo "$3 $2" | awk '{ printf "%d", 1000 * $1 / $2 }')" 740
    check "$1: and not above" at_least 1260 "$(echo "$3 $2" | awk '{ printf "%d", 1000 * $1 / $2 }')"
}

# All shortest paths of about 11000 vertices on a GTX 1080, on which nothing was fitted (results/published/apsp-gtx1080-time.csv).
test_gtx1080() {
    published() { awk -F, -v activity="$1" '$1 == activity { print 1e6 * $2 }' results/published/apsp-gtx1080-time.csv; }
    run "$apsp" --device sim:gtx1080 --variant shared --tile 78 --block 39x13 --vertices 11000 --sim-blocks 8 --quiet --csv "$csv"
    for phase in phase1 phase3; do
        within "$phase" "$(published $phase)" "$(awk -F, -v phase=$phase '
            $1 == "probe" { for (i = 1; i <= NF; i++) column[$i] = i }
            $column["kernel"] == phase { print $column["predicted_ns"] }' "$csv")"
    done
    run "$BUILD/lanes" --gpu gtx1080 --kernel tests/data/kernels/published_phase2.cu --grid 282 --block 39x13 --sim-blocks 4 \
        --arg buffer:int:122677776 --arg int:11076 --arg int:0 --json "$work/phase2.json"
    within "phase2, step by step" "$(published phase2)" \
        "$(awk 'match($0, /"predicted_ns": [0-9.]+/) { print 142 * substr($0, RSTART + 16, RLENGTH - 16) }' "$work/phase2.json")"
}

# The host's compilers agree on sums, whose loops are plain (docs/simulator.md has where they do not).
test_compilers() {
    for compiler in gcc clang; do
        command -v "$compiler" >"$work/null" || {
            skip "predictions by gcc and clang" "$compiler is not installed"
            return
        }
        run env CC="$compiler" "$BUILD/reduce" --device sim:h200 --variant sequential,cascade,shuffle,vector --elements 16M --quiet --csv "$csv"
        column predicted_ns "$csv" | xargs -n 1 >"$work/$compiler"
    done
    is "predictions by gcc and clang that differ by more than 10 %" \
        "$(paste "$work/gcc" "$work/clang" | awk '$1 < 0.9 * $2 || $1 > 1.1 * $2 { print } END { print NR }')" 4
}

# An H200 took 12.28 ms for 16777216 additions to one address, of int32 and of int64.
test_atomics() {
    for width in 4 8; do
        run "$gmem" --device sim:h200 --variant atomic-add --width "$width" --window "$width" --elements 256K --quiet --csv "$csv"
        per_mil=$(column predicted_ns "$csv" | awk '{ printf "%d", $1 / 262144 * 16777216 / 12.28e6 * 1000 }')
        check "262144 additions of $width bytes to one address: within 25 % of an H200's" at_least "$per_mil" 750
        check "and not above" at_least 1260 "$per_mil"
    done
}

if ! "$gmem" --list-devices 2>/dev/null | grep -q "^sim:"; then
    skip "predictions" "the simulator is not built here"
    finish
fi
# What no row of a part may be: faster than its bound, faster than the peak, or with a gather whose lines are in no cache, faster than
# the peak over the bytes of the lines.
test_bounds() {
    for gpu in $("$BUILD/lanes" --list-gpus | awk '{ print $1 }'); do
        run "$gmem" --device "sim:$gpu" --variant gather,read --window 0 --stride 1,32 --width 8 --quiet --csv "$csv"
        line=$("$BUILD/lanes" --gpu "$gpu" --space global --csv - | awk -F, 'END { print $8 }')
        # shellcheck disable=SC2016 # a script of awk's
        echo '{ rows++ }
row["predicted_ns"] < row["bound_ns"] || row["verdict"] ~ /above-peak/ || !(row["bound_ns"] > 0) { print row["variant"], "beats its bound" }
row["variant"] == "gather" && row["bandwidth_gb_s"] > row["peak_gb_s"] * 8 / line { print "gather", row["bandwidth_gb_s"], "GB/s" }
END { print rows + 0, "rows" }' >"$work/bounds.awk"
        is "no predicted row beats its bound: $gpu" "$status $(awk -v line="$line" -f scripts/csv.awk -f "$work/bounds.awk" "$csv" | tr '\n' ' ')" "0 3 rows "
    done
    run "$BUILD/reduce" --device sim:mi300x --variant vector,read-limit --elements 8M --quiet --csv "$csv"
    check "a row that a last-level cache serves stands beside that cache's rate" \
        awk -F, '/^#/ { next } !n++ { for (i = 1; i <= NF; i++) c[$i] = i; next } { bad += $c["peak_gb_s"] < 17000 || $c["peak_gb_s"] > 17300 || $c["verdict"] ~ /above/ } END { exit bad || n < 3 }' "$csv"
}

test_samples
test_rows
test_bounds
test_near_measured
test_gtx1080
test_compilers
test_atomics
! has_fake cuda || { link_fakes "$work/lib" && test_measured && test_predicted_beside && test_predicted_after; }
finish
