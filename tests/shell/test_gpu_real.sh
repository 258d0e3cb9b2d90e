#!/bin/sh
# Tests what gmem promises on every real GPU of this machine; skipped if there is none.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
. scripts/lib.sh

gmem=$BUILD/gmem
built "$gmem"
quick="--quiet --min-time 0.02 --max-time 0.5"

# shellcheck disable=SC2086 # $quick is a list of options
test_device() {
    spec=$1 csv=$work/gpu.csv
    run "$gmem" --device "$spec" $quick --variant stride-copy,read,write --width 1,2,4,8,16 --stride 1,2,3,8,32 --elements 4M \
        --csv "$csv"
    is "$spec: every width and stride: status" "$status $(cat "$work/err")" "0 "
    is "$spec: every width and stride: verified" "$(column verified "$csv" | tr ' ' '\n' | sort -u)" yes
    run "$gmem" --device "$spec" $quick --variant offset --width 4 --offset 0:8 --elements 4M --csv "$csv"
    is "$spec: every offset: status" "$status $(cat "$work/err")" "0 "
    is "$spec: every offset: verified" "$(column verified "$csv" | tr ' ' '\n' | sort -u)" yes
    run "$gmem" --device "$spec" $quick --variant copy --width 4 --cache warm --elements 4K --csv "$csv"
    check "$spec: a tiny footprint is cache-resident" grep -q cache-resident "$csv"
    run "$gmem" --device "$spec" --quiet --variant copy,driver-copy --width 4,8,16 --csv "$csv"
    is "$spec: copy beside the driver's: status" "$status $(cat "$work/err")" "0 "
    check "$spec: the clock is measured" at_least "$(column clock_mhz "$csv" | cut -d ' ' -f 1)" 100
    ratio=$(awk -f scripts/csv.awk -f scripts/copy_ratio.awk "$csv")
    check "$spec: copy is at least 0.97 of the driver's: $ratio" at_least "${ratio##* }" 0.97
    refuses "$spec: a footprint over its memory" 2,3 "$gmem" --device "$spec" --variant copy --width 16 --elements 1024G
    refuses "$spec: a number too many" 3 "$gmem" --device "${spec%:*}:99"
}

devices=$(gpus)
[ -n "$devices" ] || skip "the tests on a real GPU" "no GPU is here: $("$gmem" --list-devices 2>&1 | grep -E '^(cuda|hip)' |
    tr '\n' ';')"
for device in $devices; do
    test_device "$device"
done
finish
