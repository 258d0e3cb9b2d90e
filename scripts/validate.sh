#!/bin/sh
# Shows how good the model is:
#   sh scripts/validate.sh [FOLDER]
# Simulates the points of a folder's measured rows (gmem.csv, smem.csv, reduce.csv, apsp.csv, levels.csv; by default of results/h200) and the
# published figures. For each probe and variant it prints the number of rows, the median and the 90th percentile of the
# prediction's error, the worst row, and the number of rows that beat the bound.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-results/h200}
BUILD=${BUILD:-build}
work=$(mktemp -d "${TMPDIR:-/tmp}/bankshot-validate.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# values CSV COLUMN [CONDITION]: the column's different values, as a list for an option.
values() {
    # shellcheck disable=SC2016 # a script of awk's
    awk -f scripts/csv.awk -f - "$1" <<EOF | sort -un | paste -sd, -
row["source"] == "measured" && (${3:-1}) && row["$2"] != "" { print row["$2"] }
EOF
}

# variants CSV [CONDITION]
variants() {
    awk -f scripts/csv.awk -f - "$1" <<EOF | sort -u | paste -sd, -
row["source"] == "measured" && (${2:-1}) { print row["variant"] }
EOF
}

# simulate PROBE NAME OPTION...: its rows go to NAME.csv.
simulate() {
    probe=$1 name=$2
    shift 2
    "$BUILD/$probe" --device "sim:$part" --quiet "$@" --csv "$work/$name.csv" || echo "validate: $probe $* failed" >&2
}

# sweep CSV OPTION COLUMN VARIANT POINT: the option with the values of the column in the rows of POINT, if the variant's rows differ in it.
sweep() {
    case $(values "$1" "$3" "$4") in
    *,*) echo "$2 $(values "$1" "$3" "$5")" ;;
    esac
}

# The number of elements follows from the width and the stride, so these are not crossed.
simulate_gmem() {
    for variant in $(variants "$1" 'row["variant"] !~ /^(driver-copy|pattern)$/' | tr , ' '); do
        of_variant="row[\"variant\"] == \"$variant\""
        for width in $(values "$1" width_bytes "$of_variant" | tr , ' '); do
            of_width="$of_variant && row[\"width_bytes\"] == $width"
            for elements in $(values "$1" elements "$of_width" | tr , ' '); do
                point="$of_width && row[\"elements\"] == $elements"
                # shellcheck disable=SC2046 # lists of options
                simulate gmem "gmem-$variant-$width-$elements" --variant "$variant" --width "$width" --elements "$elements" \
                    $(sweep "$1" --stride stride "$of_variant" "$point") $(sweep "$1" --offset offset "$of_variant" "$point") \
                    $(sweep "$1" --window window_bytes "$of_variant" "$point")
            done
        done
    done
}

simulate_smem() {
    loops='row["elements"] == ""' tiles='row["elements"] != ""'
    simulate smem smem-loops --full --variant "$(variants "$1" "$loops")"
    simulate smem smem-tiles --variant "$(variants "$1" "$tiles")" --elements "$(values "$1" elements "$tiles")"
}

simulate_reduce() {
    kernels='row["block"] != "" && row["type"] == "int32"'
    for elements in $(values "$1" elements "$kernels" | tr , ' '); do
        simulate reduce "reduce-$elements" --variant "$(variants "$1" "$kernels && row[\"elements\"] == $elements")" \
            --elements "$elements"
    done
}

# launch_of CSV VERTICES: the way in which these solutions were launched.
launch_of() {
    awk -f scripts/csv.awk -f - "$1" <<EOF
row["kernel"] == "all" && row["vertices"] == $2 && row["launch"] != "" { print row["launch"]; exit }
EOF
}

simulate_apsp() {
    kernels='row["kernel"] ~ /phase|round/ && row["devices"] == 1 && row["vertices"] <= 8192 && row["variant"] !~ /device|scaling/'
    for vertices in $(values "$1" vertices "$kernels" | tr , ' '); do
        simulate apsp "apsp-$vertices" --variant "$(variants "$1" "$kernels && row[\"vertices\"] == $vertices")" \
            --vertices "$vertices" --launch "$(launch_of "$1" "$vertices" | grep . || echo stream)" --sim-blocks 8
    done
}

# simulate_levels_within VARIANT LEAST MOST: those of its footprints.
simulate_levels_within() {
    footprints=$(values "$folder/levels.csv" footprint_bytes "row[\"variant\"] == \"$1\" && row[\"footprint_bytes\"] >= $2 &&
        row[\"footprint_bytes\"] <= $3")
    [ -z "$footprints" ] || simulate levels "levels-$1" --variant "$1" --footprint "$footprints"
}

simulate_latencies() {
    for variant in latency latency-read-only latency-atomic latency-store latency-shared; do
        simulate_levels_within "$variant" 0 1e15
    done
}

simulate_bandwidths() {
    for variant in bandwidth bandwidth-follow bandwidth-write bandwidth-copy; do
        simulate_levels_within "$variant" 1048576 536870912
    done
    for variant in unit-bandwidth unit-bandwidth-write unit-bandwidth-copy; do
        simulate_levels_within "$variant" 32768 1048576
    done
}

simulate_levels() {
    simulate_latencies &
    simulate_bandwidths
    wait
}

# compare SCRIPT OPTION... FIRST SIMULATED...: $probe names the lines.
compare() {
    script=$1
    shift
    awk -v probe="$probe" -f scripts/csv.awk -f scripts/validate_groups.awk -f "scripts/$script" "$@"
}

# validate PROBE [SCRIPT]
validate() {
    [ -e "$folder/$1.csv" ] || return 0
    "simulate_$1" "$folder/$1.csv"
    probe=$1
    compare "${2:-validate.awk}" "$folder/$1.csv" "$work/$1"-*.csv
}

# simulate_curve CURVE GPU DEVICE LEAST MOST OPTION...: at the footprints from LEAST to MOST bytes at which others measured
# the device, in whole lines; goes to CURVE-GPU.csv.
simulate_curve() {
    curve=$1 part=$2 device=$3 least=$4 most=$5
    shift 5
    footprints=$(awk -v device="$device" -v least="$least" -v most="$most" -f scripts/csv.awk -f - "results/published/$curve.csv" <<'EOF' | paste -sd, -
row["device"] == device {
    bytes = int((row["footprint_kib"] + row["footprint_kib_per_unit"]) * 8 + 0.5) * 128
    if (bytes >= least && bytes <= most)
        print bytes
}
EOF
    )
    simulate levels "$curve-$part" --footprint "$footprints" "$@"
}

simulate_published_latencies() {
    simulate_curve latency v100 "NVIDIA V100" 0 1073741824 --variant latency --line 128
    simulate_curve latency a100 "NVIDIA A100 80 GB" 0 1073741824 --variant latency --line 128
    simulate_curve latency mi210 "AMD Instinct MI210" 0 1073741824 --variant latency --line 128
    simulate_curve latency mi300x "AMD Instinct MI300X" 0 1073741824 --variant latency --line 128
}

# Up to four last-level caches, and of a unit as far as the simulator goes beyond the waits and as L1 goes.
simulate_published_bandwidths() {
    simulate_curve l2-bandwidth a100 "NVIDIA A100 80 GB" 1048576 167772160 --variant bandwidth-follow
    simulate_curve l2-bandwidth mi210 "AMD Instinct MI210" 1048576 33554432 --variant bandwidth-follow
    simulate_curve working-set v100 "NVIDIA V100" 32768 131072 --variant unit-bandwidth
    simulate_curve working-set a100 "NVIDIA A100 80 GB" 32768 196608 --variant unit-bandwidth
}

# validate_published GPU DEVICE CURVE [SCALE]: a curve that others measured on this device. SCALE: a simulated clock over theirs.
validate_published() {
    probe=$1
    compare validate_levels.awk -v device="$2" -v scale="${4:-1}" "results/published/$3.csv" "$work/$3-$1.csv"
}

part=$(awk -f scripts/csv.awk -f - "$folder"/*.csv 2>/dev/null <<'EOF' | head -n 1
/H200/ { print "h200" }
/H100/ { print "h100" }
/A100/ { print "a100" }
EOF
)
[ -n "$part" ] || { echo "validate: $folder has no rows of a part that is simulated: give a folder of one" >&2; exit 2; }

echo "$folder against sim:$part (errors in per cent of the measured time)"
printf '%-8s %-24s %5s %8s %8s %8s %7s  %s\n' probe variant rows median p90 worst beaten "worst row"
for probe in gmem smem reduce apsp; do
    validate "$probe"
done
validate levels validate_levels.awk

simulate_published_latencies &
simulate_published_bandwidths
wait
echo
echo "published: latencies by footprint in clocks (results/published/latency.csv)"
validate_published v100 "NVIDIA V100" latency
validate_published a100 "NVIDIA A100 80 GB" latency
validate_published mi210 "AMD Instinct MI210" latency
validate_published mi300x "AMD Instinct MI300X" latency
echo "published: bandwidth of a footprint that units share, and of L1 (l2-bandwidth.csv, working-set.csv)"
validate_published a100 "NVIDIA A100 80 GB" l2-bandwidth
validate_published mi210 "AMD Instinct MI210" l2-bandwidth
validate_published v100 "NVIDIA V100" working-set 1.109 # at 1380 MHz
validate_published a100 "NVIDIA A100 80 GB" working-set

echo
echo "published: reductions of an RTX 3080 (results/published/reduce-rtx3080.csv)"
part=rtx3080
simulate reduce rtx3080 --variant "$(awk -F, '!/^#/ && $1 ~ /^global/ { print $1 }' results/published/reduce-rtx3080.csv | paste -sd, -)" \
    --elements 16777216
# against PUBLISHED SIMULATED
against() {
    awk -f scripts/csv.awk -f scripts/validate_published.awk "results/published/$1.csv" "$work/$2.csv"
}
against reduce-rtx3080 rtx3080

echo
echo "published: all shortest paths on a GTX 1080, 142 rounds of 39x13 threads (results/published/apsp-gtx1080-time.csv)"
part=gtx1080
simulate apsp gtx1080 --variant shared --tile 78 --block 39x13 --vertices 11000 --sim-blocks 8
# The published phase 2 goes step by step, this probe's multiplies. A launch has the 2 * 141 other tiles of the row and column.
launch_ns=$("$BUILD/lanes" --gpu gtx1080 --kernel tests/kernels/published_phase2.cu --grid 282 --block 39x13 \
    --arg buffer:int:122677776 --arg int:11076 --arg int:0 --json - | sed -n 's/.*"predicted_ns": \([0-9.]*\).*/\1/p')
awk -v phase2="$launch_ns" -f scripts/csv.awk -f - "$work/gtx1080.csv" >"$work/gtx1080-steps.csv" <<'EOF'
FNR == NR && !done++ { print "kernel,predicted_ns" }
row["kernel"] ~ /phase/ { print row["kernel"] "," (row["kernel"] == "phase2" ? 142 * phase2 : row["predicted_ns"]) }
EOF
against apsp-gtx1080-time gtx1080-steps

echo
echo "published: the order of a reduction's steps on an AMD GPU (results/published/reduce-mi.csv; the number of elements is not published)"
part=mi210
simulate reduce mi210 --variant "$(awk -F, '$1 ~ /^[0-9]/ { print $2 }' results/published/reduce-mi.csv | paste -sd, -)" \
    --elements 67108864 --sim-blocks 64
against reduce-mi mi210
