#!/bin/sh
# Rows of simulated devices that several processes make: the same rows and messages as one process makes, whatever becomes of the others.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

# rows PROCESSES [PROBE]: CSV rows of every probe, or of this one.
rows() {
    all="--csv - --quiet --budget 7200"
    for point in "gmem --device sim:h200,sim:mi210 --variant copy,atomic-add --elements 8K,16K --width 4" \
        "gmem --device sim:h200 --variant offset --width 1,8" \
        "gmem --device sim:mi300x --via c --variant stride-copy,copy --width 4,8 --stride 1,64" \
        "gmem --device sim:mi210 --via c --variant stride-copy --elements 20000 --width 4 --stride 1,3,64" \
        "smem --device sim:h200 --variant load,store --width 4 --stride 1,2,32" \
        "levels --device sim:h200 --variant bandwidth --footprint 128M" \
        "levels --device sim:h200 --variant latency --footprint 1K:64K:*2,4M,128M" \
        "reduce --device sim:h200,sim:mi210 --variant sequential,shuffle,single-pass --elements 32K" \
        "apsp --device sim:h200,sim:mi210 --variant baseline,shared-row --vertices 96"; do
        [ $# -eq 1 ] || [ "${point%% *}" = "$2" ] || continue
        # shellcheck disable=SC2086 # a command and its options
        BANKSHOT_SIM_THREADS=$1 "$BUILD"/$point $all
    done 2>"$work/rows.err" | grep -v '^#'
}

test_rows() {
    rows 1 >"$work/rows.1"
    check "there are rows of every probe" at_least "$(cut -d, -f1 "$work/rows.1" | sort -u | grep -c -v '^probe$')" 5
    rows 2 >"$work/rows.2"
    check "the same rows by 2 processes" cmp "$work/rows.1" "$work/rows.2"
    everything || return 0
    rows 7 >"$work/rows.7"
    check "the same rows by 7 processes" cmp "$work/rows.1" "$work/rows.7"
    # The default is a number of processes. One probe shows that it is one that works.
    rows 1 smem >"$work/rows.1"
    rows '' smem >"$work/rows.default"
    check "the same rows by as many processes as by default" cmp "$work/rows.1" "$work/rows.default"
}

# children PROCESS: the processes that it has started.
children() {
    cat "/proc/$1/task/$1/children"
}

# The points of $points, which take seconds, by several processes; the first of these has answered when the file has a row. $program is the
# one that was started.
points="--device sim:h200 --variant load --width 4 --stride 1:32 --csv - --quiet --full"
begin_rows() {
    : >"$work/by_three" # the rows of an earlier run are not these
    # shellcheck disable=SC2086 # options
    BANKSHOT_SIM_THREADS=3 "$BUILD/smem" $points >"$work/by_three" 2>"$work/err" &
    program=$!
    while ! grep -q '^smem,load' "$work/by_three" && kill -0 "$program" 2>"$work/null"; do
        sleep 0.05
    done
}

test_lost_processes() {
    # shellcheck disable=SC2086 # options
    BANKSHOT_SIM_THREADS=1 "$BUILD/smem" $points >"$work/by_one"
    begin_rows
    is "three processes make rows" "$(children "$program" | wc -w)" 3
    # shellcheck disable=SC2046 # numbers
    kill -KILL $(children "$program" | cut -d ' ' -f 1-2)
    wait "$program"
    is "a process that is killed costs no row" "$? $(grep -v '^#' "$work/by_one" >"$work/one"; grep -v '^#' "$work/by_three" | cmp - "$work/one" 2>&1)" "0 "
    begin_rows
    # shellcheck disable=SC2046 # numbers
    kill -KILL $(children "$program")
    wait "$program"
    is "nor do all of them" "$? $(grep -v '^#' "$work/by_three" | cmp - "$work/one" 2>&1)" "0 "
}

test_an_end() {
    begin_rows
    left=$(children "$program")
    kill -TERM "$program"
    wait "$program" 2>"$work/null"
    is "a signal ends the program" "$?" 143
    sleep 0.2
    alive=
    for process in $left; do
        grep -q . "/proc/$process/cmdline" 2>"$work/null" && alive="$alive $process" # empty once it has ended
    done
    is "and its processes" "$alive" ""
    is "it leaves whole rows only" "$(awk -F, '!/^#/ { fields = fields ? fields : NF; cut += NF != fields } END { print cut + 0 }' \
        "$work/by_three") $(tail -c 1 "$work/by_three" | wc -l)" "0 1"
}

# An error is that of the first point that has one, and rows before it stay.
test_errors() {
    for processes in 1 3; do
        CC=false BANKSHOT_SIM_THREADS=$processes run "$BUILD/smem" --device sim:h200 --variant load --width 1,2,4,8 --via c --csv -
        is "a compiler that fails, $processes processes" "$status $(grep -c '^smem' "$work/out")" "1 0"
        sed 's/bankshot-[^ ]*//g' "$work/err" >"$work/err.$processes"
    done
    check "the message of three processes is that of one" cmp "$work/err.1" "$work/err.3"
    check "which names the compiler" grep -q 'the compiler false failed' "$work/err.3"
}

test_settings() {
    for setting in none 0 1,x 2,0 1000; do
        BANKSHOT_SIM_THREADS=$setting refuses "BANKSHOT_SIM_THREADS=$setting" 2 "$BUILD/gmem" --device sim:h200 --quick
    done
}

# Whether standard error is a terminal decides who is told.
test_progress() {
    cat >"$work/long.cu" <<'END'
__global__ void waits(volatile unsigned *out, unsigned rounds) {
    for (unsigned i = 0; i < rounds; i++) out[blockIdx.x * blockDim.x + threadIdx.x] = i;
}
END
    lanes="$BUILD/lanes --gpu h200 --kernel $work/long.cu --grid 64 --block 256 --arg buffer:uint:65K --arg uint:9000 --max-time 100 --csv -"
    long="$lanes --entry waits"
    # shellcheck disable=SC2086 # a command and its options
    run $long
    is "no progress where nobody looks" "$status $(cat "$work/err")" "0 "
    # shellcheck disable=SC2086
    BANKSHOT_SIM_PROGRESS=yes run $long
    check "progress in lines if it is asked for" grep -q '^kernel waits: [0-9]* of 64 blocks, [0-9]* s left$' "$work/err"
    is "no progress in the listing" "$(grep -c blocks "$work/out")" 0
    command -v script >"$work/null" || { skip "progress on a terminal" "script of util-linux is not here"; return; }
    TERM=xterm script -qec "$long" "$work/null" >"$work/out" 2>&1 </dev/null
    check "progress on a terminal" grep -q 'kernel waits: [0-9]* of 64 blocks' "$work/out"
    script -qec "'$BUILD/apsp' --device cpu --variant cpu-tiled --vertices 600 --samples 2" "$work/null" 2>&1 </dev/null |
        grep -o '[0-9]* of [0-9]*: rounds' >"$work/rounds"
    is "no progress beyond the end" "$(awk '$1 > $3 + 0 { beyond = 1 } END { print beyond + 0, (NR > 0) }' "$work/rounds")" "0 1"
    script -qec "'$BUILD/smem' --device sim:h200 --budget 2" "$work/null" 2>&1 </dev/null | grep -o '[0-9]* s left' >"$work/left"
    is "no more time left than the budget leaves" "$(awk '$1 > 2 { beyond = 1 } END { print beyond + 0, (NR > 0) }' "$work/left")" "0 1"
}

test_rows
test_lost_processes
test_an_end
test_errors
test_settings
if everything; then
    test_progress
fi
finish
