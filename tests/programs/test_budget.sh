#!/bin/sh
# How much is measured: within which time, and with which footprints. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/programs/lib.sh

# fake_cache KIBIBYTES: another machine's last-level cache, for BANKSHOT_SYSFS.
fake_cache() {
    for cpu in $(seq 0 $(($(getconf _NPROCESSORS_CONF) - 1))); do
        index=$work/sys/devices/system/cpu/cpu$cpu/cache/index0
        mkdir -p "$index"
        echo 3 >"$index/level"
        echo "$1K" >"$index/size"
        echo 0-1023 >"$index/shared_cpu_list"
    done
}

# cache_bytes measured|reported: what the metadata in $work/out says.
cache_bytes() {
    sed -n "s/^# cpu memory: .*cache \([0-9]*\) bytes as measured, \([0-9]*\) reported/\\$([ "$1" = measured ] && echo 1 || echo 2)/p" "$work/out"
}

# No processor gives 2 GiB of cache to one process: the footprint follows what is measured.
test_cache() {
    fake_cache 2097152
    run env BANKSHOT_SYSFS="$work/sys" "$BUILD/gmem" --device cpu --variant copy --width 16 --samples 1 --csv -
    is "a cache of 2 GiB: a copy ends well" "$status $(cat "$work/err")" "0 "
    is "a cache of 2 GiB: what is reported is said" "$(cache_bytes reported)" 2147483648
    check "a cache of 2 GiB: less is measured" test "$(cache_bytes measured)" -lt 1073741824
    check "a cache of 2 GiB: more than nothing is measured" test "$(cache_bytes measured)" -gt 0
}

test_cache
finish
