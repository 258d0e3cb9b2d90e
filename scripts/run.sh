#!/bin/sh
# From a fresh clone to charts and a page: installs what is missing, builds, runs every probe on every real GPU (or on the CPU and two
# simulated GPUs if there is none), draws every chart, and writes the page that shows all of it.
#   sh scripts/run.sh            what fits into 90 s, including the build, and a minute more for each GPU
#   sh scripts/run.sh --quick    only a headline, within 15 s
#   sh scripts/run.sh --full     every row of every probe, which takes hours
# BANKSHOT_DEVICES=cpu,sim:h200 chooses other devices, RUN_SECONDS=40 another time than 90 s, BUILD and RESULTS other folders than
# build and results.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/lib.sh

begun=$(date +%s)
mode=$*
case $mode in
"" | --quick | --full) ;;
*)
    echo "run: unknown option $mode: there are --quick and --full" >&2
    exit 2
    ;;
esac

# Copy, read and write compared with the peak. Nothing is installed, no other program is built, nothing is kept.
if [ "$mode" = --quick ]; then
    make -s -j"$(processors)" "$BUILD/gmem" || exit 1
    exec "$BUILD/gmem" --quick --noise 2 ${BANKSHOT_DEVICES:+--device "$BANKSHOT_DEVICES"}
fi

sh scripts/setup.sh || exit 1
make -s -j"$(processors)" || exit 1

failures=0
tell_progress() {
    echo "run: $1 took $(($(date +%s) - $2)) s"
}

CHART_SECONDS=28
weights=0 real=0
for probe in $(probes); do
    for device in $(device_groups "$probe"); do
        weights=$((weights + $(weight_of "$probe" "$device")))
    done
done
for device in $(devices gmem); do
    case $device in cuda* | hip*) real=$((real + 1)) ;; esac
done
end=$((begun + ${RUN_SECONDS:-90} + 60 * real - CHART_SECONDS))

# settings_of PROBE DEVICE: options for its share of the time that is left. What one probe does not use, later ones get.
settings_of() {
    if [ "$mode" = --full ]; then
        echo --full
        return
    fi
    budget_settings "$1" "$2" $(((end - $(date +%s)) * $(weight_of "$1" "$2") / weights))
}

# keep_last CSV: keeps the last run's file, to compare with it.
last=$RESULTS/last-run
rm -rf "$last"
keep_last() {
    [ -f "$1" ] || return 0
    mkdir -p "$last/$(basename "$(dirname "$1")")" && cp -p "$1" "$last/$(basename "$(dirname "$1")")/"
}

# compare_with_last: what became faster or slower on each device, in few lines.
compare_with_last() {
    for before in "$last"/*; do
        [ -d "$before" ] && [ -x "$BUILD/compare" ] || continue
        echo
        "$BUILD/compare" --brief "$before" "$RESULTS/$(basename "$before")"
    done
}

# The table shows the files that this run writes, not those that an earlier run left.
set --
for probe in $(probes); do
    for device in $(device_groups "$probe"); do
        folder=$RESULTS/$(results_folder "$probe" "$device")
        csv=$folder/$probe.csv
        mkdir -p "$folder" || exit 1
        earlier=$(fingerprint "$csv") started=$(date +%s)
        keep_last "$csv"
        # shellcheck disable=SC2046 # a list of options
        "$BUILD/$probe" --device "$device" $(settings_of "$probe" "$device") --csv "$csv" || failed "$probe on $device" $?
        if [ "$(fingerprint "$csv")" = "$earlier" ]; then
            rm -f "$last/$(basename "$folder")/$probe.csv"
        else
            set -- "$@" "$csv"
        fi
        tell_progress "$probe on $device" "$started"
        weights=$((weights - $(weight_of "$probe" "$device")))
    done
done
if command -v gnuplot >/dev/null; then
    log=$(mktemp "${TMPDIR:-/tmp}/bankshot-run.XXXXXX") || exit 1
    pictures=$(sh plots/draw.sh "$RESULTS" 2>"$log") || failed "drawing the charts" $?
    grep -v ' is left out: ' "$log" >&2
    charts="charts: SVG and PNG next to them, $(echo "$pictures" | grep -c '\.svg$') of each.
$(grep -c ' is left out: ' "$log") others have too few rows: make plots DIR=$RESULTS names them."
    rm -f "$log"
else
    charts="No chart is drawn, because gnuplot is not here. Where it is: copy the folder $RESULTS there, beside a copy of
bankshot, and run: make plots DIR=$(basename "$RESULTS")"
fi

page=$RESULTS/report.html
if [ -x "$BUILD/report" ]; then
    "$BUILD/report" "$RESULTS" -o "$page" || failed "writing the page" $?
fi

echo
summarize "$@"
compare_with_last
echo
echo "CSV files: $RESULTS/DEVICE/PROBE.csv"
echo "$charts"
[ ! -f "$page" ] || echo "All of it, for a browser: $page"
[ "$failures" -eq 0 ] || echo "$failures of the steps above failed: see their messages."
[ "$failures" -eq 0 ]
