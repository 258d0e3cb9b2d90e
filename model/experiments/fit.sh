#!/bin/sh
# Finds the fitted constants of the model of time again (make fit):
#   sh model/experiments/fit.sh [--errors | --variants | --ablation] [FOLDER...]
# Simulates the points of the folders' measured rows, which takes minutes, and predicts them with other constants (fit.c). Rows of results/h200
# are fitted; those of results/h100 and results/h200-second are held out. The status is 1 if a constant is not the one that is found.
# WORK=FOLDER keeps what was simulated there, and takes it from there the next time, because counts do not depend on the constants.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
case ${1:-} in
--errors | --variants | --ablation)
    what=$1
    shift
    ;;
-*)
    echo "fit: unknown option $1: there are --errors, --variants and --ablation" >&2
    exit 2
    ;;
*) what= ;;
esac
[ $# -gt 0 ] || set -- results/h200 results/h100 results/h200-second
kept=${WORK:-$(mktemp -d "${TMPDIR:-/tmp}/bankshot-fit.XXXXXX")}
[ -n "${WORK:-}" ] || trap 'rm -rf "$kept"' EXIT
trap 'exit 1' HUP INT TERM
. model/experiments/simulate.sh

# simulate_probe FOLDER ROWS: unless it is there. ROWS: those of a probe, or `flights`, rows of levels by the bytes in flight.
simulate_probe() {
    folder=$1 part=$(part_of "$1") work=$kept/$(basename "$1") points=$(rows_of "$1" "$2")
    mkdir -p "$work"
    [ -e "$points" ] && [ ! -e "$work/$2.done" ] || return 0
    rm -f "$work/$2"-*
    case $2 in
    levels) simulate_bandwidths ;; # latencies are no launches' times
    *) "simulate_$2" "$points" ;;
    esac
    simulate_all
    : >"$work/$2.done"
}

for folder; do
    [ -n "$(part_of "$folder")" ] || { echo "fit: $folder has no rows of a part that is simulated: give a folder of one" >&2; exit 2; }
    for rows in gmem smem reduce apsp levels flights; do
        simulate_probe "$folder" "$rows"
        measured=$(rows_of "$folder" "$rows")
        if [ -e "$measured" ]; then
            awk -v machine="$(basename "$folder")" -f scripts/csv.awk -f model/experiments/fit_rows.awk "$measured" "$work/$rows"-*.csv
        fi
    done
done >"$kept/rows"
"$BUILD/tests/fit" ${what:+"$what"} "$kept/rows"
