#!/bin/sh
# What of the simulator depends on the processor, in the forms that this machine does not use: portable coroutines, and those of an
# emulated arm64, with what is read from its assembly.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

# other NAME TEST COMPILER RUNNER SOURCE OR OPTION...
other() {
    name=$1 test=$2 compiler=$3 runner=$4
    shift 4
    for tool in $compiler $runner; do
        command -v "$tool" >/dev/null || {
            skip "$name" "$tool is not here"
            return
        }
    done
    check "the test of $name is built" "$compiler" -std=c11 -O2 -w -I. -Itests/cross -D_GNU_SOURCE -o "$work/test" \
        "tests/unit/test_$test.c" "$@" util/error.c
    [ -x "$work/test" ] && check "$name" ${runner:+"$runner"} "$work/test"
    rm -f "$work/test"
}

other "portable coroutines" sim_coroutine "${CC:-cc}" "" sim/coroutine.c -DCOROUTINE_PORTABLE
other "arm64 coroutines" sim_coroutine aarch64-linux-gnu-gcc qemu-aarch64 sim/coroutine.c -static
other "arm64 assembly" sim_text aarch64-linux-gnu-gcc qemu-aarch64 sim/compile/assembly.c sim/compile/text.c -static
finish
