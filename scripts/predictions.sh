#!/bin/sh
# Writes the tables of simulated parts that the charts and the page show beside what was measured: results/sim-PART/PROBE.csv, files of
# the repository, because predictions do not change between runs of one commit.
#   sh scripts/predictions.sh                  all of them, which takes minutes: make predictions
#   sh scripts/predictions.sh --check          a few rows of each file are predicted again, and must be the same
# PARTS="mi210 mi300x" chooses parts, PROBES="gmem levels" probes. The status is 1 if a row differs or a program fails.
set -u
. "$(dirname "$0")/options.sh"
answer_help "$0" "$@"
cd "$(dirname "$0")/.." || exit 1
. scripts/lib.sh

case $* in
"" | --check) ;;
*)
    echo "predictions: unknown options $*: there is --check" >&2
    exit 2
    ;;
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/bankshot-predictions.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

# settings_of PROBE: what a chart shows, without the points that take long and look like their neighbours.

settings_of() {
    case $1 in
    gmem) echo "--variant stride-copy,read,write,copy,offset,triad,sum,gather --width 4,8,16" ;;
    smem) echo "--variant load,store,course,transpose-shared,transpose-padded,transpose-swizzled" ;;
    levels) echo "--variant latency,bandwidth,unit-bandwidth" ;;
    reduce) echo "--sim-blocks 4" ;;
    apsp) echo "--vertices 4096 --sim-blocks 2" ;;
    esac
}

# way_of PART: whose instructions run, by name, because a machine without clang would take the host's for AMD's parts.
way_of() {
    case $1 in
    mi* | rx*) echo "--via amdgcn" ;;
    esac
}

# sample_of PROBE PART: rows of these settings, of every kind that the model tells apart. AMD's instructions take long to compile.
sample_of() {
    case $1 in
    gmem) echo "--variant stride-copy,read,gather --width 4 --stride 1,32" ;;
    smem) echo "--variant load,transpose-shared --width 4 --stride 1,7,32" ;;
    levels) echo "--variant latency,bandwidth --footprint 1M,16M" ;;
    reduce) # gains count from variant to variant
        settings_of reduce
        [ -z "$(way_of "$2")" ] || echo "--variant interleaved-modulo,interleaved-strided,sequential"
        ;;
    apsp) echo "--vertices 4096 --sim-blocks 2 --variant unrolled,int16" ;;
    esac
}

# predict PROBE PART CSV OPTION...: without what differs from machine to machine.
predict() {
    probe=$1 part=$2 to=$3
    shift 3
    "$BUILD/$probe" --device "sim:$part" --budget 99999 --quiet "$@" --csv "$work/rows.csv" >"$work/table" || return
    {
        echo "# command: build/$probe --device sim:$part $*"
        sed -n "s/^\(# bankshot: [^(]*[^ (]\).*/\1/p" "$work/rows.csv" # the commit is that before these rows
        grep -E "^# sim:$part (device|compiler|instructions by|memory|clocks):" "$work/rows.csv"
        grep -v '^#' "$work/rows.csv"
    } >"$to"
}

# different CSV AGAIN: the rows of AGAIN that CSV has not. A chase finds in the simulated caches what the chases of the same run left
# there, so figures may differ by 0.1 %; all else must be the same. A column that CSV does not have yet must be empty.
different() {
    LC_ALL=C awk -F, '
        function same(a, b) { return a == b || a + 0 != 0 && (a - b) * (a - b) <= 1e-6 * a * b && a ~ /^[0-9.e+]*$/ && b ~ /^[0-9.e+]*$/ }
        /^#/ { next }
        NR == FNR && !columns { columns = NF; for (k = 1; k <= NF; k++) place[$k] = k; next }
        NR == FNR { known[++count] = $0; next }
        !read { for (read = 1; read <= NF; read++) at[read] = $read in place ? place[$read] : columns + 1; next }
        {
            for (i = count; i > 0; i--) {
                split(known[i], field, ",")
                for (k = 1; k <= NF && same(field[at[k]], $k); k++) { }
                if (k == NF + 1) break
            }
            if (i == 0) print
        }' "$1" "$2"
}

NO_COMPILER=3 # the status of a program whose device, or its compiler, is not here

compilers_of() {
    grep -E '^# [^ ]* (compiler|instructions by): ' "$1"
}

mode=${1:-write} failures=0 rows=0
for part in ${PARTS:-h200 mi210 mi300x}; do
    for probe in ${PROBES:-$(probes)}; do
        [ -n "$(settings_of "$probe")" ] || continue
        csv=results/sim-$part/$probe.csv
        if [ "$mode" = write ]; then
            mkdir -p "results/sim-$part" || exit 1
            # shellcheck disable=SC2046 # a list of options
            predict "$probe" "$part" "$csv" $(settings_of "$probe") $(way_of "$part") || failed "$probe on sim:$part" $?
            continue
        fi
        # shellcheck disable=SC2046 # a list of options
        predict "$probe" "$part" "$work/again.csv" $(sample_of "$probe" "$part") $(way_of "$part")
        status=$?
        # The counts follow what a compiler makes of the kernels, so those of another compiler may differ.
        if [ "$status" -eq "$NO_COMPILER" ] ||
            { [ "$status" -eq 0 ] && [ "$(compilers_of "$work/again.csv")" != "$(compilers_of "$csv")" ]; }; then
            echo "predictions: $csv was predicted with another compiler" >&2
            continue
        elif [ "$status" -ne 0 ]; then
            failed "$probe on sim:$part" "$status"
            continue
        fi
        different "$csv" "$work/again.csv" >"$work/different"
        rows=$((rows + $(grep -vc '^#' "$work/again.csv") - 1))
        if [ -s "$work/different" ]; then
            echo "predictions: $csv is not what build/$probe predicts today: make predictions writes it anew; the first such row:" >&2
            head -n 1 "$work/different" >&2
            failures=$((failures + 1))
        fi
    done
done
[ "$mode" = write ] || echo "$rows rows predicted again"
[ "$failures" -eq 0 ]
