#!/bin/sh
# The CPU backend's NEON kernels, clock and memory on an emulated arm64.
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh

for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v "$tool" >/dev/null || {
        skip "arm64 CPU backend" "$tool is not here"
        finish
    }
done

# Static, so that no arm64 library is needed.
check "the CPU backend is built for arm64" aarch64-linux-gnu-gcc -std=c11 -O2 -fopenmp -static -w -I. -Itests/cross \
    -D_GNU_SOURCE -DBANKSHOT_CC='"gcc"' -o "$work/test_cpu" tests/test_cpu.c device/cpu*.c common/error.c -lm
[ -x "$work/test_cpu" ] || finish
run env OMP_WAIT_POLICY=passive qemu-aarch64 "$work/test_cpu"
sed -n 's/^ok [0-9]* - /ok arm64 /p' "$work/out"
[ "$status" -eq 0 ] || fail "arm64 CPU backend" "status $status" "$(cat "$work/err")"
finish
