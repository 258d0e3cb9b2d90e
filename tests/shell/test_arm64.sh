#!/bin/sh
# The CPU backend's NEON kernels, clock and memory, apsp's NEON solvers and reduce's NEON sums, on an emulated arm64.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v "$tool" >/dev/null || {
        skip "arm64 CPU backend" "$tool is not here"
        finish
    }
done

compile() {
    aarch64-linux-gnu-gcc -std=c11 -O1 -fopenmp -static -w -I. -Itests/cross -D_GNU_SOURCE -DBANKSHOT_CC='"gcc"' \
        -DISA=neon -DVECTOR_BYTES=32 "$@"
}

# cross NAME SOURCE...: builds a unit test for arm64 and runs it. Static, so that no arm64 library is needed.
cross() {
    name=$1
    shift
    check "$name is built for arm64" compile -o "$work/test" "$@" device/cpu/cpu.c device/cpu/host.c device/cpu/missing_nodes.c device/device.c sim/missing_sim.c model/gpu_find.c model/gpus.c util/error.c util/text.c -lm
    [ -x "$work/test" ] || return
    run env OMP_WAIT_POLICY=passive qemu-aarch64 "$work/test"
    sed -n 's/^ok [0-9]* - /ok arm64 /p' "$work/out"
    [ "$status" -eq 0 ] || fail "$name on arm64" "status $status" "$(cat "$work/err")"
    rm "$work/test"
}

cross "the CPU backend" tests/unit/test_cpu.c gmem/gmem_cpu_vector.c util/statistics.c
cross "what the CPU backend finds out" tests/unit/test_cpu_host.c
for bits in 16 32; do
    check "apsp's solver of $bits bits is built for arm64" compile -DELEMENT_BITS=$bits -c -o "$work/vector-$bits.o" apsp/solve/cpu_vector.c
done
cross "apsp on the CPU" tests/unit/test_apsp_cpu.c "$work"/vector-??.o apsp/solve/cpu.c apsp/solve/cpu_[cps]*.c apsp/solve/check.c \
    apsp/solve/next_hops.c apsp/graph/*.c util/file.c util/leftover.c util/statistics.c util/terminal.c
cross "reduce on the CPU" tests/unit/test_reduce.c reduce/reduce_numbers.c reduce/reduce_plan.c reduce/reduce_cpu_vector.c
finish
