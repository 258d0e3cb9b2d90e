#!/bin/sh
# make fit: on rows that the model itself predicts, the constants are the ones that it has; on rows of a slower GPU they are not. All rows
# take minutes: make fit.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

refuses "an unknown option" 2 sh model/experiments/fit.sh --again
refuses "a folder without rows" 2 sh model/experiments/fit.sh "$work"
if ! has_simulator; then
    skip "the fit" "the simulator was left out of this build"
    finish
fi
mkdir "$work/h200" "$work/kept"
"$BUILD/reduce" --device sim:h200 --quiet --budget 999 --variant vector,single-pass,redux --elements 1024,65536,4194304 --csv "$work/predicted.csv"
sed 's/,predicted,/,measured,/; s/sim:h200/NVIDIA H200/' "$work/predicted.csv" >"$work/h200/reduce.csv"
run env WORK="$work/kept" sh model/experiments/fit.sh "$work/h200"
is "rows that the model predicts leave every constant" "$status $(grep -c '\*$' "$work/out")" "0 0"
check "all rows are found among the launches" grep -q '^fit: 9 rows, and 0 that' "$work/err"

awk -f scripts/csv.awk -f /dev/fd/3 "$work/h200/reduce.csv" 3<<'AWK' >"$work/slower"
{ printf "%s %s\n", row["time_ns_median"], row["time_ns_median"] + 800 }
AWK
while read -r time slower; do
    sed "s/,$time,/,$slower,/" "$work/h200/reduce.csv" >"$work/next" && mv "$work/next" "$work/h200/reduce.csv"
done <"$work/slower"
run env WORK="$work/kept" sh model/experiments/fit.sh "$work/h200"
is "rows of a GPU whose launches take 0.8 us longer change the time of a launch" \
    "$status $(awk '$1 == "overhead_ns" && $3 == "*" && $2 > 1800' "$work/out" | wc -l)" "1 1"
run env WORK="$work/kept" sh model/experiments/fit.sh --ablation "$work/h200"
is "without the time of a launch, short reductions are predicted far too fast" \
    "$status $(awk -F '|' '/overhead_ns/ { print ($3 > 20) }' "$work/out")" "0 1"
finish
