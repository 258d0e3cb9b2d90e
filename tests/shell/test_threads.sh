#!/bin/sh
# The simulator on several threads: the same rows, listings, output and messages as on one. With a least time of 0 each launch of
# several blocks has workers.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

# rows THREADS: CSV rows of every probe.
rows() {
    all="--csv - --quiet --budget 7200"
    for point in "gmem --device sim:h200,sim:mi210 --variant copy,atomic-add --elements 8K --width 4" \
        "smem --device sim:h200 --variant load,store --width 4 --stride 1,32" \
        "levels --device sim:h200 --variant latency,bandwidth --footprint 128M" \
        "reduce --device sim:h200,sim:mi210 --variant sequential,shuffle,single-pass --elements 32K" \
        "apsp --device sim:h200,sim:mi210 --variant baseline,shared-row --vertices 96"; do
        # shellcheck disable=SC2086 # a command and its options
        BANKSHOT_SIM_THREADS=$1 "$BUILD"/$point $all
    done 2>"$work/rows.err" | grep -v '^#'
}

test_rows() {
    rows 1 >"$work/rows.1"
    check "there are rows of every probe" at_least "$(cut -d, -f1 "$work/rows.1" | sort -u | grep -c -v '^probe$')" 5
    for threads in 2 3 7; do
        rows "$threads,0" >"$work/rows.$threads"
        check "the same rows on $threads threads" cmp "$work/rows.1" "$work/rows.$threads"
    done
    rows '' >"$work/rows.default"
    check "the same rows on as many threads as by default" cmp "$work/rows.1" "$work/rows.default"
}

# lanes_on THREADS ARGUMENT...: what lanes prints, but for the time.
lanes_on() {
    threads=$1
    shift
    BANKSHOT_SIM_THREADS=$threads run "$BUILD/lanes" --gpu h200 --block 64 --arg buffer:uint:64K "$@"
    cat "$work/out" "$work/err"
    echo "$status"
}

test_users_kernels() {
    cat >"$work/many.cu" <<'END'
#include <cstdio>
__global__ void prints(unsigned *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] += blockIdx.x;
    if (threadIdx.x == 0) printf("block %u\n", blockIdx.x);
}
__global__ void strays(unsigned *out) { out[blockIdx.x * blockDim.x + threadIdx.x + (blockIdx.x > 20 ? 1 << 16 : 0)] = 1; }
__global__ void races(unsigned *out) {
    __shared__ unsigned tile[64];
    tile[blockIdx.x > 20 ? 0 : threadIdx.x] = threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x];
}
END
    for entry in prints strays races; do
        lanes_on 1 --kernel "$work/many.cu" --entry "$entry" --grid 60 | sed 's/0x[0-9a-f]*/ADDRESS/' >"$work/$entry.1"
        lanes_on 3,0 --kernel "$work/many.cu" --entry "$entry" --grid 60 | sed 's/0x[0-9a-f]*/ADDRESS/' >"$work/$entry.3"
        check "a kernel that $entry, on three threads" cmp "$work/$entry.1" "$work/$entry.3"
    done
    check "what blocks print is there" grep -q '^block 59$' "$work/prints.3"
    for entry in strays races; do
        check "the first block that $entry is named" grep -q 'block (21,0,0)' "$work/$entry.3"
    done
}

test_settings() {
    for setting in none 0 1,x 1000; do
        BANKSHOT_SIM_THREADS=$setting refuses "BANKSHOT_SIM_THREADS=$setting" 2 "$BUILD/gmem" --device sim:h200 --quick
    done
}

# Whether standard error is a terminal decides who is told.
test_progress() {
    cat >"$work/long.cu" <<'END'
__global__ void waits(volatile unsigned *out, unsigned rounds) {
    for (unsigned i = 0; i < rounds; i++) out[blockIdx.x * blockDim.x + threadIdx.x] = i;
}
__global__ void marks(volatile unsigned *out, unsigned rounds) {
    for (unsigned i = 0; i < rounds; i++) out[blockIdx.x * blockDim.x + threadIdx.x + 1] = i;
    out[0] = 1;
}
END
    lanes="$BUILD/lanes --gpu h200 --kernel $work/long.cu --grid 64 --block 256 --arg buffer:uint:65K --arg uint:9000 --max-time 100 --csv -"
    long="env BANKSHOT_SIM_THREADS=1 $lanes --entry waits"
    # shellcheck disable=SC2086 # a command and its options
    run $long
    is "no progress where nobody looks" "$status $(cat "$work/err")" "0 "
    # shellcheck disable=SC2086
    BANKSHOT_SIM_PROGRESS=yes run $long
    check "progress in lines if it is asked for" grep -q '^kernel waits: [0-9]* of 64 blocks, [0-9]* s left$' "$work/err"
    is "no progress in the listing" "$(grep -c blocks "$work/out")" 0
    # shellcheck disable=SC2086
    BANKSHOT_SIM_THREADS=2 BANKSHOT_SIM_PROGRESS=yes run $lanes --entry marks
    check "progress says why there is one thread" grep -q ' left, on one thread because its blocks write what others read or write$' \
        "$work/err"
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
test_progress
test_users_kernels
test_settings
finish
