#!/bin/sh
# What smem promises: passes and conflicts by the rules, right results everywhere, clear refusals. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

smem=$BUILD/smem
lanes=$BUILD/lanes
built "$smem"
built "$lanes"

# measure GPU OPTION...: a run on the simulated GPU, of which one block shows what a request costs.
measure() {
    gpu=$1
    shift
    measure_csv "$smem" "sim:$gpu" --sim-blocks 1 "$@"
}

# per_request FILE: a line "variant width stride passes conflicts" for each row, the last two per request.
per_request() {
    cat >"$work/per_request.awk" <<'AWK'
{
    requests = row["passes_per_request"] ? row["passes"] / row["passes_per_request"] : 1
    print row["variant"], row["width_bytes"], row["stride"] + 0, row["passes_per_request"] + 0, row["bank_conflicts"] / requests
}
AWK
    awk -f scripts/csv.awk -f "$work/per_request.awk" "$1"
}

test_figures() {
    measures passes_per_request "1 2 1 4 8 16 32 1" h200 --variant load --width 4 --stride 1,2,3,4,8,16,32,33
    measures passes_per_request "2 4 32 32" h200 --variant load --width 8 --stride 1,2,16,32
    measures passes_per_request "1 1 2 16" h200 --variant load --width 2 --stride 1,2,4,32
    measures bytes_per_clock "128 64 128 32" h200 --variant load --width 4 --stride 1:4
    measures degree_predicted "1 2 1 4" mi210 --variant load --width 4 --stride 1:4
    measures passes_per_request "2 4 2 8" mi210 --variant load --width 4 --stride 1:4
    is "mi210: conflicts of a request" "$(per_request "$work/out" | cut -d ' ' -f 5 | paste -sd ' ')" "0 2 0 6"
    # Groups of lanes that read one address. In pairs of lanes the halves of an 8-byte load merge, and the quarters of a
    # 16-byte one to halves; merged once, not twice.
    measures passes_per_request "1 1 1 1 1 1" h200 --variant broadcast --width 4
    measures passes_per_request "2 1 1 1 1 1" h200 --variant broadcast --width 8
    measures passes_per_request "4 2 2 2 2 2" gtx1080 --variant broadcast --width 16 --group 1,2,4,8,16,32
    measures rule_certainty "certain certain" h200 --variant broadcast --width 8 --group 1,2
    measures rule_certainty "certain open" a100 --variant broadcast --width 8 --group 1,2
    # Kepler's banks deliver 8 bytes per pass.
    measures shared_efficiency_pct "50.00 100.00" k40-8byte --variant load --width 4,8 --stride 1
    measures shared_efficiency_pct "50.00 100.00" k40 --variant load --width 4,8 --stride 1
    measures shared_efficiency_pct "100.00 100.00" h200 --variant load --width 4,8 --stride 1
    # A dependent load waits for the latency of shared memory, and for each further pass.
    measures cycles_per_request "23 24.95" h200 --variant load-latency --width 4 --stride 1:2
}

# all_right NAME: every row of $work/out has a verified result and an ordinary verdict.
all_right() {
    is "$1: verified" "$(column verified "$work/out" | tr ' ' '\n' | sort -u)" yes
    is "$1: verdicts" "$(column verdict "$work/out" | tr ' ' '\n' | sort -u)" ok
}

test_results() {
    for gpu in h200 mi210; do
        everything || [ $gpu = mi210 ] || continue
        # shellcheck disable=SC2046 # an option and its value, or none
        measure "$gpu" $(everything || echo --width 4)
        all_right "$gpu, every variant and point"
        for variant in $("$smem" --list | cut -d ' ' -f 1 | grep -v '^addresses$\|^remote-'); do # they take a file, or clusters
            check "$gpu, rows of $variant" grep -q "^smem,$variant," "$work/out"
        done
    done
    # tests/shell/test_predictions.sh compares an MI300X's loads, stores and other transposes, which were right.
    if everything; then
        measure mi300x --variant load-latency,broadcast,atomic-add --stride 0,1,2,7,32,64 --group 1,4,32
        all_right "mi300x, accesses"
        measure mi300x --sim-blocks 4 --variant tile-copy,transpose-naive
        all_right "mi300x, transposes"
    fi
    for gpu in gtx1080 rx7900xtx; do
        everything || [ $gpu = gtx1080 ] || continue
        measure "$gpu" --variant load,store,load-latency,broadcast,atomic-add,course --stride 0,1,2,7,32,64 --group 1,4,32
        all_right "$gpu, accesses"
        measure "$gpu" --sim-blocks 4 --variant tile-copy,transpose-naive,transpose-shared,transpose-padded,transpose-swizzled
        all_right "$gpu, transposes"
    done
    measure gtx1080 --sim-blocks 4 --variant load,store,load-latency,broadcast,atomic-add,course --width 4 --stride 7 --group 4
    all_right "gtx1080, accesses of several blocks"
}

# joined KEYS FILE: the awk program on standard input takes each row of the file, and finds what $work/out has for it in
# predicted[key(), COLUMN].
joined() {
    cat >"$work/joined.awk" <<'AWK'
function key(    i, text) { text = ""; for (i = 1; i <= split(keys, name, " "); i++) text = text row[name[i]] "|"; return text }
FNR == NR { for (column in row) predicted[key(), column] = row[column]; next }
AWK
    awk -v keys="$1" -f scripts/csv.awk -f "$work/joined.awk" -f /dev/stdin "$work/out" "$2"
}

# What other blocks' memory costs, beside what two GPUs counted and took. Narrow stores take fewer passes than by the rule.
test_cluster_costs() {
    gpu=$1
    strides=1,5,7 widths=4,16 counted="9 9"
    everything && strides=1,2,3,4,5,7,8,16,32 widths=4,8,16 counted="36 36"
    measure "$gpu" --via ptx --sim-blocks 2 --variant remote-load,remote-store --width $widths --stride $strides --cluster 2 --distance 1
    is "$gpu: passes as they were counted" "$(joined "variant width_bytes stride distance" "results/$gpu/smem-clusters-counters.csv" <<'AWK'
(key(), "passes_per_request") in predicted && (row["op"] == "load" || row["width_bytes"] == 16) {
    rows++
    counted = row["counted_passes"] / (row["passes"] / row["passes_per_request"])
    right += (counted / predicted[key(), "passes_per_request"] - 1) ^ 2 < 1e-6
}
END { print right, rows }
AWK
)" "$counted"
    measure "$gpu" --via ptx --sim-blocks 2 --variant remote-load,remote-store --width 4 --cluster 2,4 --stride ${strides%%,*},32
    is "$gpu: clocks as they were measured, within 15 %" "$(joined "variant width_bytes stride cluster distance" "results/$gpu/smem-clusters.csv" <<'AWK'
(key(), "cycles_per_request") in predicted {
    rows++
    near += (predicted[key(), "cycles_per_request"] / row["cycles_per_request"] - 1) ^ 2 < 0.0225
}
END { print near, rows }
AWK
)" "16 16"
}

# Clusters, by the instructions that a GPU has, too.
test_clusters() {
    refuses "clusters as C" 3 "$smem" --device sim:h200 --variant remote-load
    refuses "clusters of a part before sm_90" 3 "$smem" --device sim:a100 --via ptx --variant remote-load
    refuses "a distance beyond the cluster" 2 "$smem" --device sim:h200 --via ptx --variant remote-load --cluster 1 --distance 1
    makes_ptx || {
        skip "clusters" "NVRTC is not here"
        return
    }
    measure h200 --via ptx --variant remote-load,remote-store,remote-latency --width 16 --stride 32 --cluster 1,2
    all_right "clusters"
    measure h200 --via ptx --variant remote-load --width 4 --stride 1 --cluster 2,16 --distance 1
    all_right "clusters of 16"
    is "they fill as many units as an H200's" "$(column grid "$work/out" | xargs)" "132 112"
    run "$smem" --device sim:h200 --via ptx --variant remote-load --cluster 1 --distance 0,1 --width 4 --stride 1 --quiet --csv -
    is "of several distances those within the cluster" "$status $(column distance "$work/out")" "0 0"
    measures passes_per_request "1 2 8 32" h200 --via ptx --variant remote-atomic-add --cluster 4 --distance 3
    is "atomics to another block" "$(column verified "$work/out" | xargs)" "yes yes yes yes"
    everything && test_cluster_costs h100
    test_cluster_costs h200
}

# addresses LANES WARPS WIDTH STRIDE...: a line of byte addresses for each stride and warp. In the first warp each lane is STRIDE
# elements after the one before; further warps fill the gaps, then come after.
addresses() {
    awk 'BEGIN {
        for (s = 4; s < ARGC; s++)
            for (warp = 0; warp < ARGV[2]; warp++)
                for (lane = 0; lane < ARGV[1]; lane++) {
                    stride = ARGV[s]
                    element = stride == 0 ? warp : (int(warp / stride) * ARGV[1] + lane) * stride + warp % stride
                    printf "%d%s", element * ARGV[3], lane < ARGV[1] - 1 ? " " : "\n"
                }
    }' "$@"
}

# expect GPU LANES WARPS VARIANT WIDTH STRIDE...: what lanes says of the same addresses, as per_request prints it.
expect() {
    gpu=$1 lane_count=$2 warps=$3 variant=$4 width=$5
    shift 5
    addresses "$lane_count" "$warps" "$width" "$@" |
        "$lanes" --gpu "$gpu" --op "$variant" --width "$width" --addresses - --csv - >"$work/lanes" || return
    echo "$*" | tr ' ' '\n' >"$work/strides"
    cat >"$work/expect.awk" <<'AWK'
{
    passes += row["passes"]
    conflicts += row["bank_conflicts"]
}
++count % warps == 0 {
    getline stride < strides
    print variant, width, stride, passes / warps, conflicts / warps
    passes = conflicts = 0
}
AWK
    awk -v warps="$warps" -v strides="$work/strides" -v variant="$variant" -v width="$width" -f scripts/csv.awk \
        -f "$work/expect.awk" "$work/lanes"
}

# agrees NAME GPU LANES WARPS WIDTHS STRIDES: loads and stores of the simulated kernel must cost what lanes says. An AMD part's go by the
# host's compiler, which is faster; test_figures and test_results have AMD's instructions.
agrees() {
    label=$1 of_gpu=$2 of_lanes=$3 of_warps=$4 widths=$5 strides=$6
    measure "$of_gpu" --via c --variant load,store --width "$(echo "$widths" | tr ' ' ,)" \
        --stride "$(echo "$strides" | tr ' ' ,)" --block $((of_lanes * of_warps))
    per_request "$work/out" >"$work/found"
    for op in load store; do
        for of_width in $widths; do
            # shellcheck disable=SC2086 # a list of strides
            expect "$of_gpu" "$of_lanes" "$of_warps" "$op" "$of_width" $strides
        done
    done >"$work/expected"
    check "$label: as many points as expected" [ "$(wc -l <"$work/expected")" -eq $((2 * $(echo "$widths" | wc -w) * $(echo "$strides" | wc -w))) ]
    check "$label" diff "$work/expected" "$work/found"
}

# One GPU for each rule of shared memory; one warp, then whole blocks, whose warps interleave.
test_grid() {
    gpus="h200:32 mi210:64"
    ! everything || gpus="$gpus k40:32 k40-8byte:32 gtx1080:32 mi50:64 mi355x:64 rx7900xtx:32 rx9070xt:32"
    for gpu in $gpus; do
        agrees "${gpu%:*}: widths 1 to 16, strides 0 to 64" "${gpu%:*}" "${gpu#*:}" 1 "1 2 4 8 16" "$(seq -s ' ' 0 64)"
    done
    everything || return
    agrees "h200: a block of 1024" h200 32 32 "1 2 4 8 16" "0 1 2 3 5 7 12 33"
    agrees "mi210: a block of 1024" mi210 64 16 "1 2 4 8 16" "0 1 2 3 5 7 12 33"
}

# Each request writes a row or reads a column of a 32x32 tile, so the figures are means of both. On AMD a wave is two rows of the
# block, so a request writes two rows or reads two columns, in a group of 32 lanes or two groups of 16 for each.
#
# shared, 4 bytes: rows are 128 bytes apart, so a column lies in one bank: 32 passes and 31 conflicts, (1 + 32) / 2 and
#   31 / 2. On AMD both twice: (2 + 64) / 2 and 62 / 2.
# shared, 8 bytes: halves of 16 lanes; a column lies in one pair of banks: 16 passes and 15 conflicts a half, (2 + 32) / 2
#   and 30 / 2. AMD: (4 + 64) / 2 and 60 / 2.
# shared, 2 bytes: rows are 16 words apart, so a column lies in 2 banks, 16 words each: (1 + 16) / 2 and 15 / 2. AMD:
#   (2 + 32) / 2 and 30 / 2.
# padded, 4 and 8 bytes: rows are 33 words (or pairs) apart, which is 1 modulo 32 (or 16): no conflict.
# padded, 2 bytes: lane l of column c reads word (33 l + c) / 2, rounded down. For even c lanes 2m and 2m + 1 read words
#   33 m and 33 m + 16 beyond the first, banks m and m + 16: no conflict. For odd c they are 33 m and 33 m + 17, and
#   lane 31's bank, 15 + 17 = 32, is lane 0's: 2 passes. Means: (1 + 1.5) / 2 and 0.5 / 2. On AMD a wave has an even and
#   an odd column: (2 + 3) / 2 and 1 / 2.
# swizzled: column c of row l is at c xor l. Lanes of a group go to different places of a row for 4 bytes, to different
#   pairs of banks for 8 (16 lanes differ in their low 4 bits). For 2 bytes l's lowest bit chooses the half of the banks
#   that the row lies in, its other 4 bits xor c's the word there: no conflict.
test_transposes() {
    for case in "h200:shared:8.5 16.5 17:7.5 15.5 15" "h200:padded:1.25 1 2:0.25 0 0" "h200:swizzled:1 1 2:0 0 0" \
        "mi210:shared:17 33 34:15 31 30" "mi210:padded:2.5 2 4:0.5 0 0" "mi210:swizzled:2 2 4:0 0 0"; do
        IFS=: read -r gpu step passes conflicts <<CASE
$case
CASE
        measure "$gpu" --variant "transpose-$step" --width 2,4,8 --elements 1M
        per_request "$work/out" >"$work/costs"
        is "$gpu, transpose-$step: passes of a request" "$(cut -d ' ' -f 4 "$work/costs" | paste -sd ' ')" "$passes"
        is "$gpu, transpose-$step: conflicts of a request" "$(cut -d ' ' -f 5 "$work/costs" | paste -sd ' ')" "$conflicts"
    done
    measures bank_conflicts "  " h200 --variant transpose-naive
    run "$lanes" --gpu h200 --width 2 --block 32x8 --pitch 34 --order column --csv -
    is "2 bytes, padded by a whole word" "$(column passes "$work/out")" 1
}

# The published bandwidths relative to stride 1, against 1 / degree. At 2 bytes and strides from 8 on the published part is
# 20 % slower than any rule of banks says; what else its kernel does there is not published.
test_published() {
    measure gtx1080 --variant course
    cp "$work/out" "$work/course"
    cat >"$work/published.awk" <<'AWK'
{ point = row["width_bytes"] "x" row["stride"] }
"probe" in row {
    degree[point] = row["degree_predicted"]
    next
}
row["stride"] == 1 { contiguous = row["bandwidth_gb_s"] }
{
    ratio = row["bandwidth_gb_s"] / contiguous * degree[point]
    print point, (ratio > 0.9 && ratio < 1.1 ? "holds" : "not")
}
AWK
    awk -f scripts/csv.awk -f "$work/published.awk" "$work/course" results/published/shared-stride.csv >"$work/published"
    is "published: within 10 % of the prediction" "$(grep -c holds "$work/published")" 15
    is "published: where the model does not hold" "$(sed -n 's/ not//p' "$work/published" | paste -sd ' ')" "2x8 2x16 2x32"
    # The bound of the simulated kernel, its filling of the array included, keeps to the same degrees. The predicted time
    # does not, for it adds how long few warps wait.
    cat >"$work/kept.awk" <<'AWK'
{ bandwidth = row["useful_bytes"] / row["bound_ns"] }
row["stride"] == 1 { contiguous = bandwidth }
{ ratio = bandwidth / contiguous * row["degree_predicted"]; if (ratio < 0.97 || ratio > 1.03) print FNR, ratio }
AWK
    is "course: the bound over degree" "$(awk -f scripts/csv.awk -f "$work/kept.awk" "$work/course")" ""
}

test_shared_memory_size() {
    # 64 lanes 64 elements apart: (63 * 64 + 1) * 16 = 64528 bytes of 65536, beyond the 48 KiB of an ordinary launch.
    measures passes_per_request 64 mi210 --variant load --width 16 --stride 64 --block 64
    # 32 lanes, 32 warps between them: (31 * 100 + 31 + 1) * 16 = 50112 bytes.
    measures passes_per_request 16 h200 --variant load --width 16 --stride 100
    refuses "stride 100 on 48 KiB" 2 "$smem" --device sim:gtx1080 --variant load --width 16 --stride 100
    refuses "stride 66 on 64 KiB" 2 "$smem" --device sim:mi210 --variant load --width 16 --stride 66 --block 64
    refuses "stride 1024" 2 "$smem" --device sim:h200 --variant load --width 16 --stride 1024
}

test_refusals() {
    refuses "smem on the CPU" 3 "$smem" --device cpu
    refuses "a variant on the CPU" 3 "$smem" --device cpu --variant load
    refuses "the CPU beside a GPU" 3 "$smem" --device cpu,sim:h200
    for block in 0 33 2048 -32 32x2; do
        refuses "block $block" 2 "$smem" --device sim:h200 --variant load --block "$block"
    done
    refuses "half a wave" 2 "$smem" --device sim:mi210 --variant load --block 32
    for group in 0 3 64 65; do
        refuses "group $group" 2 "$smem" --device sim:h200 --variant broadcast --group "$group"
    done
    for width in 0 3 32; do
        refuses "width $width" 2 "$smem" --device sim:h200 --variant load --width "$width"
    done
    refuses "atomic-add of 8 bytes" 2 "$smem" --device sim:h200 --variant atomic-add --width 8
    refuses "course of 16 bytes" 2 "$smem" --device sim:h200 --variant course --width 16
    refuses "a transpose of 16 bytes" 2 "$smem" --device sim:h200 --variant transpose-naive --width 16
    for elements in 1000 1023 961 64; do
        refuses "a transpose of $elements elements" 2 "$smem" --device sim:h200 --variant transpose-padded --elements "$elements"
    done
    refuses "matrices beyond the memory" 2 "$smem" --device sim:gtx1080 --variant transpose-naive --elements 16G
    refuses "a stride beyond the range" 2 "$smem" --device sim:h200 --variant load --stride 1025
    refuses "a stride that the variant does not use" 2 "$smem" --device sim:h200 --variant transpose-naive --stride 2
    refuses "a block of a latency" 2 "$smem" --device sim:h200 --variant load-latency --block 64
}

test_tables() {
    for variants in load store load-latency broadcast atomic-add course tile-copy transpose-swizzled,transpose-naive all; do
        case $variants in broadcast | t*) strides= ;; *) strides="--stride 2,64" ;; esac # one digit and two
        # shellcheck disable=SC2086 # a list of options
        run "$smem" --device sim:h200,sim:mi210 --via c --variant "$variants" --width 4 $strides --sim-blocks 1 --quiet
        is "table of $variants: at most 80 columns" "$status $(awk 'length > 80' "$work/out")" "0 "
    done
    for columns in "load:stride.*B/clk" "broadcast:group.*B/clk" "load-latency:cycles" "transpose-padded:% copy.*conflicts"; do
        run "$smem" --device sim:h200 --variant "${columns%%:*}" --width 4 --sim-blocks 1 --quiet
        check "table of ${columns%%:*}: ${columns#*:}" grep -q "${columns#*:}" "$work/out"
    done
    run "$smem" --help
    is "--help is at most 80 columns wide" "$(awk 'length > 80' "$work/out")" ""
}

test_figures
test_results
test_grid
test_clusters
test_transposes
test_published
test_shared_memory_size
test_refusals
test_tables
finish
