#!/bin/sh
# gmem on the CUDA and HIP backends, over a fake driver that runs kernels on the host (tests/fakes/driver.inc.h): what it
# does when a GPU fails in the middle of a run.
cd "$(dirname "$0")/../.." || exit 1
. tests/programs/lib.sh

gmem=$BUILD/gmem
built "$gmem"

# on BACKEND ARGUMENT...: one quick run; $csv holds its rows.
csv=$work/gpu.csv
on() {
    spec=$1
    shift
    rm -f "$csv"
    run env LD_LIBRARY_PATH="$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" CUDA_HOME="$work" ROCM_PATH="$work" "$gmem" --device "$spec" --quiet \
        --min-time 0.002 --max-time 0.05 --samples 2 --elements 4K "$@" --csv "$csv"
}

# fails_with NAME PATTERN: status 1, and one line that says so.
fails_with() {
    is "$1: status" "$status" 1
    is "$1: one line" "$(wc -l <"$work/err" | tr -d ' ') $(grep -cE "$2" "$work/err")" "1 1"
}

rows() {
    if [ -e "$csv" ]; then grep -vc '^#\|^probe,' "$csv"; else echo 0; fi
}

# test_backend BACKEND OUT-OF-MEMORY LOST
test_backend() {
    on "$1:0,$1:1" --variant stride-copy,read --width 4,16 --stride 3
    is "$1: two devices: status" "$status $(cat "$work/err")" "0 "
    is "$1: two devices: rows" "$(rows)" 8
    is "$1: two devices: verified" "$(column verified "$csv" | tr ' ' '\n' | sort -u)" yes
    FAKE_FAIL=wrong on "$1" --variant copy --width 4 --elements 64K
    is "$1: a wrong result: status" "$status" 1
    is "$1: a wrong result: verified" "$(column verified "$csv")" no
    FAKE_MEMORY_MB=1 on "$1" --variant copy --width 16 --elements 1M
    is "$1: a footprint over the memory: status" "$status" 2
    FAKE_FAIL=allocate:2 on "$1" --variant copy --width 4
    fails_with "$1: out of memory" "$2"
    FAKE_KERNEL=check_copy FAKE_FAIL=launch:3 on "$1" --variant copy --width 4,8,16
    fails_with "$1: the device is lost" "$3"
    is "$1: the device is lost: rows so far kept" "$(rows) $(column verified "$csv")" "2 yes yes"
    FAKE_DEVICES=1 on "$1:1" --variant copy
    is "$1: an absent device: status" "$status" 3
}

link_fakes "$work/lib"
! has_fake cuda || test_backend cuda CUDA_ERROR_OUT_OF_MEMORY CUDA_ERROR_ILLEGAL_ADDRESS
! has_fake hip || test_backend hip hipErrorOutOfMemory hipErrorIllegalAddress
finish
