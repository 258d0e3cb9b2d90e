#!/bin/sh
# The simulator's coroutines in the forms that this machine does not use: the portable one, and that of an emulated arm64.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

# coroutines NAME COMPILER RUNNER OPTION...
coroutines() {
    name=$1 compiler=$2 runner=$3
    shift 3
    for tool in $compiler $runner; do
        command -v "$tool" >/dev/null || {
            skip "$name" "$tool is not here"
            return
        }
    done
    check "$name are built" "$compiler" -std=c11 -O2 -w -I. -Itests/cross -D_GNU_SOURCE "$@" -o "$work/coroutine" \
        tests/unit/test_sim_coroutine.c sim/coroutine.c util/error.c
    [ -x "$work/coroutine" ] && check "$name" ${runner:+"$runner"} "$work/coroutine"
    rm -f "$work/coroutine"
}

coroutines "portable coroutines" "${CC:-cc}" "" -DCOROUTINE_PORTABLE
coroutines "arm64 coroutines" aarch64-linux-gnu-gcc qemu-aarch64 -static
finish
