#!/bin/sh
# Time in which the CPU's threads do not run is no time of the measured work. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

# one_thread NAME OPTION...: samples of one thread on one processor; the rows are in $work/NAME. It is a small copy, so that a sample may
# become short enough to fit between two turns of another program.
one_thread() {
    name=$1
    shift
    OMP_NUM_THREADS=1 taskset -c 0 "$BUILD/gmem" --device cpu --variant copy --width 4 --elements 64K --quiet --csv "$work/$name" "$@"
}

# tests/unit/test_measure.c looks at the sample that a stop falls into.
test_stopped() {
    OMP_NUM_THREADS=1 "$BUILD/gmem" --device cpu --variant copy --width 4 --elements 64K --min-time 4 --max-time 4 --quiet \
        --csv "$work/stopped" &
    for _ in 1 2 3 4 5 6; do
        sleep 0.4
        kill -STOP $!
        sleep 0.05
        kill -CONT $!
    done
    wait $!
    is "a run that is stopped six times ends well" $? 0
    check "samples are dropped" at_least "$(column samples_dropped "$work/stopped")" 4
}

# Whether a row claims that nothing disturbed it. Its data fit into the cache, which is on purpose.
is_calm() {
    case $(column verdict "$work/$1") in *noisy* | *drifting* | *waited* | *throttled*) return 1 ;; esac
}

within_5_pct() {
    awk -v value="$1" -v reference="$2" 'BEGIN { exit !(value > 0.95 * reference && value < 1.05 * reference) }'
}

test_competitor() {
    one_thread idle --min-time 0.5 --max-time 3
    taskset -c 0 sh -c 'while :; do :; done' &
    one_thread beside --min-time 0.5 --max-time 3
    kill $!
    wait $! 2>"$work/null"
    one_thread after --min-time 0.5 --max-time 3
    check "beside a program on the same processor: samples are dropped" at_least "$(column samples_dropped "$work/beside")" 1
    check "what is left waited little, or the row says so" awk -v waited="$(column waited_pct "$work/beside")" \
        -v verdict="$(column verdict "$work/beside")" 'BEGIN { exit !(waited <= 2 || verdict ~ /waited/) }'
    idle=$(column bandwidth_gb_s "$work/idle") after=$(column bandwidth_gb_s "$work/after")
    # A processor that changes its clock between two idle runs has no speed to compare with.
    if is_calm idle && is_calm beside && is_calm after && within_5_pct "$idle" "$after"; then
        check "a calm row is as fast as without the other program" within_5_pct "$(column bandwidth_gb_s "$work/beside")" "$idle"
    else
        skip "a calm row is as fast as without the other program" "this machine is not calm: $idle and $after GB/s without it"
    fi
    # A launch of 64 MiB or more does not fit between two turns.
    taskset -c 0 sh -c 'while :; do :; done' &
    OMP_NUM_THREADS=1 taskset -c 0 "$BUILD/gmem" --device cpu --variant copy --width 4 --elements 32M --max-time 1 --quiet --csv "$work/long"
    kill $!
    wait $! 2>"$work/null"
    check "launches longer than a turn of another program have waited" grep -q ',[a-z+-]*waited[a-z+-]*$' "$work/long"
}

built "$BUILD/gmem"
if ! command -v taskset >"$work/null"; then
    skip "waits for a processor" "there is no taskset"
elif [ ! -r /proc/self/schedstat ]; then
    skip "waits for a processor" "this system does not count them"
else
    test_stopped
    test_competitor
fi
finish
