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
made=
for probe in $(probes); do
    for device in $(devices "$probe"); do
        folder=$RESULTS/$(folder_of "$device")
        mkdir -p "$folder" || exit 1
        made="$made $folder/$probe.csv"
        started=$(date +%s)
        # shellcheck disable=SC2046 # a list of options
        "$BUILD/$probe" --device "$device" $(settings_of "$probe" "$device") --csv "$folder/$probe.csv" || failed "$probe on $device" $?
        echo "run: $probe on $device took $(($(date +%s) - started)) s"
    done
done
charts=$(sh plots/draw.sh "$RESULTS") || failed "drawing the charts" $?

echo
# shellcheck disable=SC2086 # a list of files
summarize $made
echo
echo "CSV files: $RESULTS/DEVICE/PROBE.csv; charts: SVG and PNG beside them, $(echo "$charts" | grep -c '\.svg$') of each."
[ "$failures" -eq 0 ] || echo "$failures of the steps above failed: see their messages."
[ "$failures" -eq 0 ]
