#!/bin/sh
# The tables of simulated parts in results/sim-*/ are what the programs predict today.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

refuses "an unknown option" 2 sh scripts/predictions.sh --again
if ! has_simulator; then
    skip "the repository's predictions" "the simulator was left out of this build"
    finish
fi
for part in h200 mi210 mi300x; do
    for probe in gmem smem levels reduce apsp; do
        run env PARTS=$part PROBES=$probe sh scripts/predictions.sh --check
        if grep -q 'with another compiler$' "$work/err"; then
            skip "results/sim-$part/$probe.csv holds what is predicted today" "it was predicted with another compiler"
        elif [ "$status" -eq 0 ] && grep -q '^[1-9][0-9]* rows predicted again$' "$work/out"; then
            ok "results/sim-$part/$probe.csv holds what is predicted today"
        else
            fail "results/sim-$part/$probe.csv holds what is predicted today" "$(head -n 3 "$work/err")"
        fi
    done
done

# predicts_filtered COMMAND...: predicts a file again that this filter has changed.
predicts_filtered() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/results/sim-h200"
    cp -R scripts bench "$work/tree"
    "$@" <results/sim-h200/reduce.csv >"$work/tree/results/sim-h200/reduce.csv"
    run env BUILD="$(cd "$BUILD" && pwd)" PARTS=h200 PROBES=reduce sh "$work/tree/scripts/predictions.sh" --check
}

predicts_filtered sed 's/^\(reduce,.*\),predicted,/\1,foretold,/'
is "a row that differs is named, and costs the status" "$status $(grep -c 'make predictions writes it anew' "$work/err")" "1 1"
# shellcheck disable=SC2016 # awk's own $
predicts_filtered awk -F , '
    /^#/ { print; next }
    !without { for (without = 1; $without != "joules"; without++) { } }
    { for (k = 1; k <= NF; k++) if (k != without) printf "%s%s", $k, k < NF ? FS : "\n" }'
is "a new column that is empty makes no row differ" "$status $(cat "$work/err")" "0 "
finish
