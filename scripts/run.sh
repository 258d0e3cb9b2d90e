#!/bin/sh
# From a fresh clone to charts and a page: installs what is missing, builds, measures every real GPU and the CPU, draws the charts of
# what it measured, and writes the page that shows all of it.
#   sh scripts/run.sh            the CPU for 100 s and each GPU for a minute, the most telling rows first
#   sh scripts/run.sh --quick    only a headline, within 15 s
#   sh scripts/run.sh --full     every row of every probe, which takes hours
# BANKSHOT_DEVICES=cpu,sim:h200 chooses other devices, RUN_SECONDS=30 another time for each of them, BUILD and RESULTS other folders than
# build and results/here, which git ignores.
set -u
. "$(dirname "$0")/options.sh"
answer_help "$0" "$@"
cd "$(dirname "$0")/.." || exit 1
. scripts/lib.sh

mode=$*
case $mode in
"" | --quick | --full) ;;
*)
    echo "run: unknown option $mode: there are --quick, --full and --help" >&2
    exit 2
    ;;
esac

# headline_devices: the GPUs, or the CPU where none is.
headline_devices() {
    there=$(gpus | paste -sd, -)
    echo "${BANKSHOT_DEVICES:-${there:-cpu}}"
}

# Copy, read and write compared with the peak. Nothing is installed, no other program is built, nothing is kept.
if [ "$mode" = --quick ]; then
    make -s -j"$(processors)" "$BUILD/gmem" || exit 1
    exec "$BUILD/gmem" --quick --noise 2 --device "$(headline_devices)"
fi

begun=$(date +%s)
failures=0
work=$(mktemp -d "${TMPDIR:-/tmp}/bankshot-run.XXXXXX") || exit 1
child=
# A shell runs no EXIT trap on a signal, and waits for a program in the foreground before it runs any trap.
trap 'rm -rf "$work"' EXIT
trap '[ -z "$child" ] || kill "$child" 2>"$work/kill"; wait; exit 130' HUP INT TERM

# run_step COMMAND...: runs it in the background, so that a signal ends it at once.
run_step() {
    "$@" &
    child=$!
    wait "$child"
    status=$?
    child=
    return "$status"
}

# tell PHASE SINCE [REST]: the line of a phase that began at SINCE.
tell() {
    echo "run: $1: $(($(date +%s) - $2)) s${3:-}" >&2
}

# ---- What must be there, and a headline as soon as there is a program for it ----

run_step sh scripts/setup.sh || exit 1
tell "installing" "$begun"
started=$(date +%s)
run_step make -s -j"$(processors)" "$BUILD/gmem" || exit 1
tell "building gmem" "$started"
started=$(date +%s)
run_step "$BUILD/gmem" --quick --quiet --noise 2 --device "$(headline_devices)" || failed "the headline" $?
tell "the headline" "$started"
started=$(date +%s)
run_step make -s -j"$(processors)" || exit 1
tell "building the other programs" "$started"

# ---- Measuring ----

LINKS_SECONDS=15

# seconds_of DEVICE: how long all probes together measure it. A simulated GPU is slow.
seconds_of() {
    case $1 in
    cpu | sim:*) echo "${RUN_SECONDS:-100}" ;;
    *) echo "${RUN_SECONDS:-60}" ;;
    esac
}

# settings_of PROBE DEVICE END WEIGHTS: options for its share of the time until END, where WEIGHTS is the sum of the shares of this
# and all later probes of the device. What one probe does not use, later ones get.
settings_of() {
    if [ "$mode" = --full ]; then
        echo --full
    else
        budget_settings "$1" "$2" $((($3 - $(date +%s)) * $(weight_of "$1" "$2") / $4))
    fi
}

# keep_last CSV: keeps the last run's file, to compare with it.
last=$RESULTS/last-run
rm -rf "$last"
keep_last() {
    [ -f "$1" ] || return 0
    mkdir -p "$last/$(basename "$(dirname "$1")")" && cp -p "$1" "$last/$(basename "$(dirname "$1")")/"
}

# measure PROBE DEVICE END WEIGHTS: writes its rows, and adds the file to the list of those that this run wrote.
measure() {
    folder=$RESULTS/$(results_folder "$1" "$2")
    csv=$folder/$1.csv
    mkdir -p "$folder" || exit 1
    earlier=$(fingerprint "$csv") started=$(date +%s)
    keep_last "$csv"
    # shellcheck disable=SC2046 # a list of options
    run_step "$BUILD/$1" --quiet --device "$2" $(settings_of "$@") --csv "$csv" || failed "$1 on $2" $?
    if [ "$(fingerprint "$csv")" = "$earlier" ]; then
        rm -f "$last/$(basename "$folder")/$1.csv"
    else
        echo "$csv" >>"$work/files"
    fi
    left=$(($3 - $(date +%s)))
    tell "$1 on $2" "$started" "$([ "$mode" = --full ] || echo ", $((left > 0 ? left : 0)) s are left for $2")"
}

: >"$work/files"
for device in $(devices); do
    weights=0
    for probe in $(probes_on "$device"); do weights=$((weights + $(weight_of "$probe" "$device"))); done
    end=$(($(date +%s) + $(seconds_of "$device")))
    for probe in $(probes_on "$device"); do
        measure "$probe" "$device" "$end" "$weights"
        weights=$((weights - $(weight_of "$probe" "$device")))
    done
done
linked=$(device_groups links)
[ -z "$linked" ] || measure links "$linked" $(($(date +%s) + LINKS_SECONDS)) "$(weight_of links "$linked")"

# ---- What it shows ----

started=$(date +%s)
# The repository's own tables that it stands beside: a part of NVIDIA that was measured, and parts of AMD that were simulated.
beside=$(for folder in results/h200 results/sim-mi210 results/sim-mi300x; do [ ! -d "$folder" ] || echo "$folder"; done)
if command -v gnuplot >/dev/null; then
    # shellcheck disable=SC2086 # a list of folders
    run_step sh plots/draw.sh "$RESULTS" --beside $beside >"$work/pictures" 2>"$work/log" || failed "drawing the charts" $?
    grep -v ' is left out: ' "$work/log" >&2
    charts="Charts:    $(grep -c '\.svg$' "$work/pictures"), SVG and PNG, beside the CSV files"
else
    charts="No chart is drawn, because gnuplot is not here. Where it is: copy the folder $RESULTS there, beside a copy of
bankshot, and run: make plots DIR=$(basename "$RESULTS")"
fi
page=$RESULTS/report.html
# shellcheck disable=SC2046 # a list of options
run_step "$BUILD/report" "$RESULTS" $(echo "$beside" | sed -n 's/./--beside &/p') -o "$page" || failed "writing the page" $?
tell "charts and the page" "$started"

# compare_with_last: what became faster or slower on each device, in few lines.
compare_with_last() {
    for before in "$last"/*; do
        [ -d "$before" ] || continue
        echo
        "$BUILD/compare" --brief "$before" "$RESULTS/$(basename "$before")"
    done
}

# The table shows the files that this run wrote, not those that an earlier run left.
set --
while read -r csv; do set -- "$@" "$csv"; done <"$work/files"
echo
summarize "$@"
compare_with_last
echo
[ $# -eq 0 ] || rows_left "$@"
tell "everything" "$begun"
echo "CSV files: $RESULTS/DEVICE/PROBE.csv"
echo "$charts"
[ ! -f "$page" ] || echo "All of it, for a browser: $page"
[ "$failures" -eq 0 ] || echo "$failures of the steps above failed: see their messages."
[ "$failures" -eq 0 ]
