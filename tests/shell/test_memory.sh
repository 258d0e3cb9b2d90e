#!/bin/sh
# Memory runs out: whichever allocation of the program fails, the program says so in one line and ends with status 1, or does
# without the memory and prints the same rows.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

unset BANKSHOT_KERNEL_CACHE # so that kernels are compiled
STEPS=${STEPS:-30} # number of allocations that are made to fail, spread over all

library=$work/fail_allocation.so
if ! ${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -o "$library" tests/shell/fail_allocation.c -ldl 2>"$work/err"; then
    skip "allocations that fail" "the library that makes them fail does not compile: $(head -n 1 "$work/err")"
    finish
fi

# with_failure NUMBER COMMAND...: loads the failing library into the command only, not into timeout.
with_failure() {
    number=$1
    shift
    # shellcheck disable=SC2016 # for the inner shell
    run env FAIL_ALLOCATION="$number" COUNT_ALLOCATIONS="$work/count" LIBRARY="$library" \
        timeout 60 sh -c 'LD_PRELOAD=$LIBRARY exec "$@"' sh "$@"
}

# rows: what the command printed, without the times that a measurement never repeats.
rows() {
    if [ "$timed" = yes ]; then cut -d , -f 1-12 "$work/out"; else cat "$work/out"; fi | grep -v '^#'
}

# try NAME TIMED COMMAND...
try() {
    name=$1 timed=$2
    shift 2
    with_failure 0 "$@"
    is "$name: status" "$status $(cat "$work/err")" "0 "
    count=$(cat "$work/count")
    rows >"$work/expected"
    bad=
    tried=$((count < STEPS ? count : STEPS))
    for step in $(seq 1 "$tried"); do
        number=$((step * count / tried))
        with_failure "$number" "$@"
        case $status in
        0) rows | cmp -s - "$work/expected" || bad="$bad $number (other rows)" ;;
        1) [ "$(wc -l <"$work/err")" -eq 1 ] && grep -qi memory "$work/err" || bad="$bad $number ($(head -n 1 "$work/err"))" ;;
        *) bad="$bad $number (status $status)" ;;
        esac
    done
    is "$name: $tried of $count allocations" "$bad" ""
}

for program in gmem apsp lanes; do
    built "$BUILD/$program"
done
try "gmem on the CPU" yes "$BUILD/gmem" --device cpu --variant copy --width 4 --elements 64K --samples 2 --csv -
try "apsp on the CPU" yes "$BUILD/apsp" --device cpu --variant cpu-tiled --vertices 20 --samples 2 --csv -
try "lanes, a request" no "$BUILD/lanes" --gpu h200 --op load --stride 2 --csv -
if "$BUILD/gmem" --list-devices 2>/dev/null | grep -q "^sim:"; then
    try "gmem on the simulator" no "$BUILD/gmem" --device sim:h200 --variant copy --width 4 --elements 4K --csv -
    export BANKSHOT_KERNEL_CACHE="$work/cache" # the first run fills it, and the ones that lack memory find it full
    try "gmem on the simulator, compiled before" no "$BUILD/gmem" --device sim:h200 --variant copy --width 4 --elements 4K --csv -
    unset BANKSHOT_KERNEL_CACHE
    # By the host's compiler alone: a GPU's compiler that lacks memory gives way to the next one, whose rows may differ.
    try "lanes, a kernel" no "$BUILD/lanes" --gpu h200 --kernel tests/data/kernels/histogram.cu --via c --grid 2 --block 64 \
        --arg buffer:uchar:512 --arg int:512 --arg buffer:uint:256:zero --csv -
else
    skip "the simulator" "it is not built here"
fi
finish
