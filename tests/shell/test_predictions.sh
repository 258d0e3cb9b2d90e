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

# A row that is not today's is found.
tree=$work/tree
mkdir -p "$tree/results/sim-h200"
for folder in scripts bench; do ln -s "$PWD/$folder" "$tree/$folder"; done
sed 's/^\(reduce,.*\),predicted,/\1,foretold,/' results/sim-h200/reduce.csv >"$tree/results/sim-h200/reduce.csv"
cp -R scripts "$work/scripts"
rm "$tree/scripts"
mv "$work/scripts" "$tree/scripts"
run env BUILD="$(cd "$BUILD" && pwd)" PARTS=h200 PROBES=reduce sh "$tree/scripts/predictions.sh" --check
is "a row that differs is named, and costs the status" "$status $(grep -c 'make predictions writes it anew' "$work/err")" "1 1"
finish
