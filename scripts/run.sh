#!/bin/sh
# From a fresh clone to charts: installs what is missing, builds, runs every probe on every real GPU, or on the CPU and two
# simulated GPUs where there is none, and draws every chart.
#   sh scripts/run.sh            quick: a minute or so
#   sh scripts/run.sh --full     the programs' own, thorough settings
# BANKSHOT_DEVICES=cpu,sim:h200 chooses other devices; BUILD and RESULTS other folders than build and results.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/lib.sh

case "$*" in
"") settings_of() { quick_settings "$@"; } ;;
--full) settings_of() { :; } ;;
*)
    echo "run: unknown option $*: there is only --full" >&2
    exit 2
    ;;
esac

sh scripts/setup.sh || exit 1
make -s -j"$(processors)" || exit 1

failures=0
tell_progress() {
    echo "run: $1 took $(($(date +%s) - $2)) s"
}

# What the table shows: the files that this run writes, and none that an earlier one left.
set --
for probe in $(probes); do
    for device in $(devices "$probe"); do
        folder=$RESULTS/$(folder_of "$device")
        csv=$folder/$probe.csv
        mkdir -p "$folder" || exit 1
        earlier=$(fingerprint "$csv") started=$(date +%s)
        # shellcheck disable=SC2046 # a list of options
        "$BUILD/$probe" --device "$device" $(settings_of "$probe" "$device") --csv "$csv" || failed "$probe on $device" $?
        [ "$(fingerprint "$csv")" = "$earlier" ] || set -- "$@" "$csv"
        tell_progress "$probe on $device" "$started"
    done
done
if command -v gnuplot >/dev/null; then
    pictures=$(sh plots/draw.sh "$RESULTS") || failed "drawing the charts" $?
    charts="charts: SVG and PNG beside them, $(echo "$pictures" | grep -c '\.svg$') of each."
else
    charts="No chart is drawn, because gnuplot is not here. Where it is: copy the folder $RESULTS there, beside a copy of
bankshot, and run: make plots DIR=$(basename "$RESULTS")"
fi

echo
summarize "$@"
echo
echo "CSV files: $RESULTS/DEVICE/PROBE.csv"
echo "$charts"
[ "$failures" -eq 0 ] || echo "$failures of the steps above failed: see their messages."
[ "$failures" -eq 0 ]
