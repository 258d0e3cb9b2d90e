#!/bin/sh
# Answers the open rules of the memory model by experiment (docs/rules.md), in under two minutes on a GPU:
#   sh scripts/rules.sh [--device SPEC] [OUT]
# Without --device it takes the first NVIDIA GPU, or sim:h200 if there is none. OUT (results/DEVICE/rules by default) gets
# rules.txt, which is also printed, rules.csv, and in raw/ the data that they come from.
# If Nsight Compute (ncu) is installed and may read the GPU's counters, the table has counts as well as times. NCU=FILE names
# another ncu; with NCU empty none is used.
set -u
. "$(dirname "$0")/options.sh"
check_options "$0" --device "$@"
. "$(dirname "$0")/lib.sh"

usage() {
    echo "rules: $1: sh scripts/rules.sh [--device SPEC] [OUT]" >&2
    exit 2
}

device='' out=''
while [ $# -gt 0 ]; do
    case $1 in
    --device)
        [ $# -gt 1 ] || usage "--device: no device is named"
        device=$2
        shift
        ;;
    --device=*) device=${1#*=} ;;
    *)
        [ -z "$out" ] || usage "$1: one folder only"
        case $1 in /*) out=$1 ;; *) out=$PWD/$1 ;; esac
        ;;
    esac
    shift
done
cd "$(dirname "$0")/.." || exit 1
for program in smem gmem lanes; do
    [ -x "$BUILD/$program" ] || { echo "rules: $BUILD/$program is not built: run make" >&2; exit 1; }
done
[ -n "$device" ] || device=$(gpus | grep -m 1 '^cuda')
device=${device:-sim:h200}
case $device in *,*) usage "--device $device: one only" ;; esac
out=${out:-$RESULTS/$(folder_of "$device")/rules}
raw=$out/raw # the file rows becomes rules.csv; the file missing says what the table lacks
rm -rf "$raw" && mkdir -p "$raw" || exit 1
deadline=$(($(date +%s) + ${RULES_SECONDS:-110}))

quick=${RULES_SETTINGS:---min-time 0.02 --max-time 0.1 --noise 1}
# Under the profiler one launch is checked, one warms up, and one is measured.
counted="--cache cold --samples 1"
launches=3

# lacks WHY: notes what the table will not have.
lacks() {
    echo "$1" >>"$raw/missing"
}

# Sets $ncu, which is empty if no counters can be read.
find_ncu() {
    ncu=
    case $device in
    cuda*)
        ncu=${NCU-$(first_program "$(command -v ncu)" "${CUDA_HOME:-/usr/local/cuda}/bin/ncu" /opt/nvidia/nsight-compute/*/ncu)}
        [ -n "$ncu" ] || lacks "no counters: ncu (Nsight Compute) is not here; experiments 4 and 5 need it"
        ;;
    sim:*) ;;
    *) lacks "no counters: they are read on NVIDIA GPUs only" ;;
    esac
}

# count NAME SKIP KERNEL METRIC,METRIC... CSV COMMAND...: runs the command, which writes CSV, under the profiler.
# raw/NAME.counters gets a line for each row of CSV: the bytes that the row requests, then the metrics of its first launch.
# SKIP launches precede the first row.
count() {
    name=$1 skip=$2 kernel=$3 metrics=$4 csv=$5
    shift 5
    [ -n "$ncu" ] || return 0
    left=$((deadline - $(date +%s)))
    if [ "$left" -lt 5 ]; then
        lacks "no counters of $name: no time was left"
        return
    fi
    timeout -k 5 "$left" "$ncu" --csv --clock-control none --kernel-name "regex:^($kernel)" --metrics "$metrics" \
        "$@" --csv "$csv" >"$raw/$name.log" 2>&1 </dev/null
    [ $? -ne 124 ] || echo "error: stopped after $left s" >>"$raw/$name.log"
    : >>"$csv"
    LC_ALL=C awk -f scripts/csv.awk -f scripts/useful_bytes.awk "$csv" >"$raw/bytes"
    grep '^"' "$raw/$name.log" | LC_ALL=C awk -v metrics="$metrics" -f scripts/csv.awk -f scripts/ncu.awk >"$raw/launches"
    expected=$((skip + launches * $(wc -l <"$raw/bytes")))
    if [ "$(wc -l <"$raw/launches")" -eq "$expected" ] && [ -s "$raw/bytes" ]; then
        awk -v skip="$skip" -v each="$launches" 'NR > skip && (NR - skip) % each == 1' "$raw/launches" |
            paste -d ' ' "$raw/bytes" - >"$raw/$name.counters"
    else
        [ -s "$raw/launches" ] || ncu= # it will not see any the next time, either
        lacks "no counters of $name$([ -n "$ncu" ] || echo " and all that follows"): $(grep -m 1 -i error "$raw/$name.log" ||
            echo "ncu saw $(wc -l <"$raw/launches") launches instead of $expected")"
    fi
    rm "$raw/bytes" "$raw/launches"
}

# write_rows NAME SCRIPT OPTION...: adds to the rows of rules.csv what an awk script makes of raw/NAME.csv and its counters.
write_rows() {
    name=$1 script=$2
    shift 2
    [ ! -s "$raw/$name.counters" ] || set -- "$@" -v counters="$raw/$name.counters"
    LC_ALL=C awk "$@" -f scripts/csv.awk -f model/experiments/rules_row.awk -f "model/experiments/$script" "$raw/$name.csv" >>"$raw/rows"
}

# Experiments 1 to 4. The conflict-free reference comes first and is not checked, so it has one launch fewer.
shared_memory() {
    op=$1 width=$2 name=smem-$1-$2 addresses=$raw/addresses-$2
    awk -v width="$width" -f model/experiments/rules_patterns.awk >"$raw/patterns-$width"
    cut -f 3 "$raw/patterns-$width" >"$addresses"
    set -- "$BUILD/smem" --quiet --device "$device" --variant addresses --op "$op" --width "$width" --addresses "$addresses"
    # shellcheck disable=SC2086 # lists of options
    "$@" $quick --csv "$raw/$name.csv" || return
    letters=$(echo "$op" | sed 's/load/ld/; s/store/st/')
    metrics=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$letters.sum
    metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_$letters.sum
    # shellcheck disable=SC2086
    count "$name" $((launches - 1)) "table_$op" "$metrics" "$raw/$name-counted.csv" "$@" $counted
    set -- -v patterns="$raw/patterns-$width"
    if [ -n "$rules_of" ]; then
        "$BUILD/lanes" --gpu "$rules_of" --op "$op" --width "$width" --addresses "$addresses" --csv - |
            awk -F , 'NR > 1 { print $6, $7 }' >"$raw/predictions"
        set -- "$@" -v predictions="$raw/predictions"
    fi
    write_rows "$name" rules_shared.awk "$@"
}

# sectors NAME OPTION...: part of experiment 5.
sectors() {
    name=$1
    shift
    [ -n "$ncu" ] || [ "$device" != "${device#sim:}" ] || return 0
    set -- "$BUILD/gmem" --quiet --device "$device" --variant read,write --elements 64K "$@"
    metrics=
    for letters in ld st; do
        metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_$letters.sum
        metrics=$metrics,l1tex__t_requests_pipe_lsu_mem_global_op_$letters.sum
    done
    # shellcheck disable=SC2086
    if [ -n "$ncu" ]; then
        count "$name" 0 "stride_read|stride_write" "${metrics#,}" "$raw/$name.csv" "$@" $counted
        [ -s "$raw/$name.counters" ] || return 0
    else
        "$@" $quick --csv "$raw/$name.csv" || return
    fi
    write_rows "$name" rules_global.awk -v lanes="$lanes"
}

global_memory() {
    for width in 1 2 4 8 16; do
        sectors "gmem-offset-$width" --width $width --stride 1 --offset 0:$((31 / width)) || return
    done
    sectors gmem-stride --width 1,2,4,8,16 --stride 2:8,16,31,32 || return
}

# Experiment 6.
fill() {
    set -- "$BUILD/gmem" --quiet --device "$device" --variant write --width 4 --stride 1,2
    # shellcheck disable=SC2086
    "$@" $quick --csv "$raw/gmem-fill.csv" || return
    # shellcheck disable=SC2086
    count gmem-fill 0 stride_write dram__bytes_read.sum,dram__bytes_write.sum "$raw/gmem-fill-counted.csv" "$@" $counted
    write_rows gmem-fill rules_fill.awk
}

# The GPU whose rules predict. From Maxwell on NVIDIA's rules are nearly the same, so an H200 stands for all.
case $device in
sim:*) rules_of=${device#sim:} ;;
cuda*) rules_of=h200 ;;
*) rules_of= ;;
esac
lanes=$("$BUILD/lanes" --gpu "${rules_of:-h200}" --csv - | awk -F , 'NR == 2 { print $5 }')
[ -n "$lanes" ] || exit 2
find_ncu
for width in 8 16; do
    for op in load store; do
        shared_memory "$op" "$width" || exit
    done
done
fill || exit
global_memory || exit
{
    printf '%s,' experiment op width_bytes pattern predicted by_time time_verdict counted count_verdict conflicts \
        conflicts_counted certainty
    echo verified
    LC_ALL=C sort -s -t , -k 1,1 "$raw/rows"
} >"$out/rules.csv"

arch=$(awk -f scripts/csv.awk -f /dev/fd/3 "$raw/smem-load-8.csv" 3<<'AWK'
{ print row["device"] ", " row["arch"]; exit }
AWK
)
{
    echo "Open rules of the memory model, $(date -u +%Y-%m-%d)"
    echo "$device: $arch"
    case $device in sim:*) echo "Simulated: the answers are the model's own." ;; esac
    [ ! -s "$raw/missing" ] || sed 's/^/MISSING: /' "$raw/missing"
    echo
    case $arch in *', sm_'*) nvidia=1 ;; *) nvidia=0 ;; esac
    LC_ALL=C awk -v nvidia=$nvidia -f scripts/csv.awk -f model/experiments/rules_table.awk "$out/rules.csv"
} | tee "$out/rules.txt"
! grep -q ',no$' "$out/rules.csv"
