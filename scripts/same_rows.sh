#!/bin/sh
# Compares the rows of two builds column by column, for a change that must not affect what is printed:
#   sh scripts/same_rows.sh OLD_BUILD NEW_BUILD [PROBE...]
# Both builds run every probe on two simulated GPUs, whose rows are the same in every run, and on the CPU, whose times are
# ignored. For each column that differs a line gives the number of rows and the first such row. Columns and rows that only
# one build has are named. The exit status is 1 if something differs.
set -u
. "$(dirname "$0")/options.sh"
check_options "$0" "" "$@"
[ $# -ge 2 ] || { echo "same_rows: two build folders are needed: sh scripts/same_rows.sh OLD_BUILD NEW_BUILD [PROBE...]" >&2; exit 2; }
old=$1 new=$2
shift 2
cd "$(dirname "$0")/.." || exit 1
. scripts/lib.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

# settings_for_comparison PROBE DEVICE: all variants, little work. The blocks of smem are alike, so two of them are enough. A bandwidth
# is not simulated for footprints that only one unit would read.
settings_for_comparison() {
    blocks=0
    [ "$1" != smem ] || blocks=2
    case $1 in
    gmem) echo "--elements 20000 --stride 1,3,64 --width 1,4,16 --offset 0,1,7" ;;
    smem) echo "--stride 1,2,4,8,16,31:33 --elements 64K" ;;
    reduce) echo "--elements 70000" ;;
    apsp) echo "--vertices 130" ;;
    levels)
        if [ "$2" = cpu ]; then
            echo "--footprint 1K,64K,4M,64M --variant latency,bandwidth,bandwidth-copy"
        else
            echo "--footprint 1M,4M,64M --variant latency,bandwidth"
        fi
        ;;
    esac
    echo "--min-time 0 --max-time 0.01 --samples 1 --sim-blocks $blocks --full --quiet" # a budget would leave out rows on a busy machine
}

# Columns whose values come from a clock and so differ from run to run.
TIMES="samples samples_dropped time_ns_median time_ns_min time_ns_max time_ns_low time_ns_high interval_pct time_ns_p25 time_ns_p75 noise_pct effective_samples drift_pct modes_pct clock_mhz waited_pct bandwidth_gb_s peak_pct copy_pct limit_pct
    first_kernel_pct fixed_pct useful_bytes speedup gop_s peak_gop_s verdict latency_ns latency_cycles"

failures=0
# shellcheck disable=SC2048 # a list of names
for probe in ${*:-$(listed_probes)}; do
    [ -x "$old/$probe" ] || { echo "$probe: only in $new"; continue; }
    for device in $(BANKSHOT_DEVICES=cpu,sim:h200,sim:mi210 devices "$probe"); do
        rm -f "$work/old.csv" "$work/new.csv"
        for build in old new; do
            folder=$old
            [ "$build" = old ] || folder=$new
            # shellcheck disable=SC2046 # a list of options
            timeout 600 "$folder/$probe" --device "$device" $(settings_for_comparison "$probe" "$device") --csv "$work/$build.csv" >"$work/$build.log" 2>&1 ||
                echo "$probe on $device by $folder: status $?: $(tail -n 1 "$work/$build.log")"
        done
        if [ ! -s "$work/old.csv" ] || [ ! -s "$work/new.csv" ]; then
            echo "$probe on $device: a build has no rows"
            failures=$((failures + 1))
            continue
        fi
        ignored=
        [ "$device" != cpu ] || ignored=$TIMES
        LC_ALL=C awk -v ignored="$ignored" -v title="$probe on $device" -f scripts/csv.awk -f scripts/same_rows.awk \
            "$work/old.csv" "$work/new.csv" || failures=$((failures + 1))
    done
done
[ "$failures" -eq 0 ]
