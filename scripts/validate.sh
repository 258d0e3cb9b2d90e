#!/bin/sh
# Shows how good the model is:
#   sh scripts/validate.sh [FOLDER]
# Simulates the points of a folder's measured rows (gmem.csv, smem.csv, reduce.csv, apsp.csv, levels.csv, levels-in-flight.csv; by default of results/h200) and the
# published figures. For each probe and variant it prints the number of rows, the median and the 90th percentile of the
# prediction's error, the worst row, and the number of rows that beat the bound.
set -eu
. "$(dirname "$0")/options.sh"
check_options "$0" "" "$@"
cd "$(dirname "$0")/.."
folder=${1:-results/h200}
BUILD=${BUILD:-build}
work=$(mktemp -d "${TMPDIR:-/tmp}/bankshot-validate.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

. model/experiments/simulate.sh

# compare SCRIPT OPTION... FIRST SIMULATED...: $probe names the lines.
compare() {
    script=$1
    shift
    awk -v probe="$probe" -f scripts/csv.awk -f model/experiments/validate_groups.awk -f "model/experiments/$script" "$@"
}

# validate PROBE [SCRIPT [ROWS]]: ROWS: `flights`, those of levels by the bytes in flight.
validate() {
    rows=${3:-$1} measured=$(rows_of "$folder" "${3:-$1}")
    [ -e "$measured" ] || return 0
    "simulate_$rows" "$measured"
    simulate_all
    probe=$1
    compare "${2:-validate.awk}" "$measured" "$work/$rows"-*.csv
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

# Up to several last-level caches, and of a unit as far as the simulator goes beyond the waits and as L1 goes.
simulate_published_bandwidths() {
    simulate_curve l2-bandwidth a100 "NVIDIA A100 80 GB" 1048576 1073741824 --variant bandwidth-follow
    simulate_curve l2-bandwidth mi210 "AMD Instinct MI210" 1048576 33554432 --variant bandwidth-follow
    simulate_curve working-set v100 "NVIDIA V100" 32768 131072 --variant unit-bandwidth
    simulate_curve working-set a100 "NVIDIA A100 80 GB" 32768 196608 --variant unit-bandwidth
    simulate_curve working-set mi300x "AMD Instinct MI300X" 1048576 279819264 --variant bandwidth
}

# validate_published GPU DEVICE CURVE [SCALE]: a curve that others measured on this device. SCALE: a simulated clock over theirs.
validate_published() {
    probe=$1
    compare validate_levels.awk -v device="$2" -v scale="${4:-1}" "results/published/$3.csv" "$work/$3-$1.csv"
}

part=$(part_of "$folder")
[ -n "$part" ] || { echo "validate: $folder has no rows of a part that is simulated: give a folder of one" >&2; exit 2; }

echo "$folder against sim:$part (errors in per cent of the measured time)"
printf '%-8s %-24s %5s %8s %8s %8s %7s  %s\n' probe variant rows median p90 worst beaten "worst row"
for probe in gmem smem reduce apsp; do
    validate "$probe"
done
validate levels validate_levels.awk
validate levels validate_levels.awk flights

simulate_published_latencies
simulate_published_bandwidths
simulate_all
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
validate_published mi300x "AMD Instinct MI300X" working-set

echo
echo "published: reductions of an RTX 3080 (results/published/reduce-rtx3080.csv)"
part=rtx3080
simulate reduce rtx3080 --variant "$(awk -F, '!/^#/ && $1 ~ /^global/ { print $1 }' results/published/reduce-rtx3080.csv | paste -sd, -)" \
    --elements 16777216
simulate_all
# against PUBLISHED SIMULATED
against() {
    awk -f scripts/csv.awk -f model/experiments/validate_published.awk "results/published/$1.csv" "$work/$2.csv"
}
against reduce-rtx3080 rtx3080

echo
echo "published: all shortest paths on a GTX 1080, 142 rounds of 39x13 threads (results/published/apsp-gtx1080-time.csv)"
part=gtx1080
simulate apsp gtx1080 --variant shared --tile 78 --block 39x13 --vertices 11000 --sim-blocks 8
simulate_all
# The published phase 2 goes step by step, this probe's multiplies. A launch has the 2 * 141 other tiles of the row and column.
launch_ns=$("$BUILD/lanes" --gpu gtx1080 --kernel tests/data/kernels/published_phase2.cu --grid 282 --block 39x13 \
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
simulate_all
against reduce-mi mi210

# best DEVICE COLUMN: of the published rates by occupancy.
best() {
    awk -v device="$1" -f scripts/csv.awk -f - results/published/amd/stream.csv <<EOF
row["device"] == device && row["$2"] > most { most = row["$2"] }
END { print most }
EOF
}

# beside PUBLISHED NAME: the row in NAME.csv, a rate in GB/s.
beside() {
    awk -v published="$1" -v what="$2" -f scripts/csv.awk -f - "$work/$2.csv" <<'EOF'
row["stride"] <= 1 || what ~ "-" row["stride"] "$" { printf "%-24s published %8.1f GB/s, predicted %8.1f GB/s, %+6.1f %%\n", what, published, row["bandwidth_gb_s"], 100 * (row["bandwidth_gb_s"] / published - 1) }
EOF
}

echo
echo "published: best rates of memory (results/published/amd/stream.csv; its triad loads three streams, ours two)"
for part in mi100 mi210 mi300x rx6900xt; do
    for pair in write:init read:read copy:scale triad:triad; do
        simulate gmem "$part-${pair%:*}" --variant "${pair%:*}" --width 8
        simulate_all
        beside "$(best "$part" "${pair#*:}")" "$part-${pair%:*}"
    done
done

echo
echo "published: scatters and gathers of 8 bytes by stride on an MI210 (results/published/amd/spatter-mi210.csv)"
part=mi210
awk -F, '$1 == "scatter" || $1 == "gather" { print $1, $2, $3 / 8, $5 }' results/published/amd/spatter-mi210.csv |
    while read -r kernel stride elements published; do
        variant=$([ "$kernel" = gather ] && echo read || echo write)
        simulate gmem "$kernel-$stride" --variant "$variant" --width 8 --stride "$stride" --elements "$elements"
        simulate_all
        beside "$published" "$kernel-$stride"
    done

echo
echo "published: counters and clocks of AMD parts and of NVIDIA's L1 (results/published/amd)"
sh scripts/validate_tables.sh
