#!/bin/sh
# reduce on every real GPU of this machine: it is right, no slower than the vendor's library, and NVIDIA's checkers find nothing.
# Skipped if there is no GPU.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
. scripts/lib.sh

reduce=$BUILD/reduce
built "$reduce"

# ratios FILE: a line "TYPE ELEMENTS RATIO" for the time of the library over that of our fastest variant, and one
# "TYPE ELEMENTS bandwidth GB/S" of that variant.
ratios() {
    cat >"$work/ratios.awk" <<'AWK'
{ key = row["type"] " " row["elements"]; time = row["time_ns_median"] + 0 }
row["variant"] == "library" { library[key] = time }
row["variant"] ~ /^(vector|single-pass|redux|counted)$/ && (!(key in best) || time < best[key]) {
    best[key] = time
    bandwidth[key] = row["bandwidth_gb_s"]
}
END {
    for (key in best) {
        if (key in library) printf "%s %.2f\n", key, library[key] / best[key]
        print key, "bandwidth", bandwidth[key]
    }
}
AWK
    awk -f scripts/csv.awk -f "$work/ratios.awk" "$1"
}

# test_device DEVICE: right, no slower than the library, and near what gmem reads.
test_device() {
    spec=$1
    run "$reduce" --device "$spec" --quiet --max-time 0.05 --type all --elements 0,1,31,33,1000,65537,1048583 --csv -
    is "$spec: every variant, type and size" "$status $(column verified "$work/out" | tr ' ' '\n' | sort -u)" "0 yes"
    run "$reduce" --device "$spec" --quiet --min-time 0.1 --max-time 0.5 --type int32,float32 --elements 64K,256M --csv "$work/real"
    is "$spec: 2^16 and 2^28 numbers" "$status $(cat "$work/err")" "0 "
    ratios "$work/real" >"$work/ratios"
    run "$BUILD/gmem" --device "$spec" --quiet --variant read --width 16 --stride 1 --elements 64M --csv "$work/gmem"
    read_gb_s=$(column bandwidth_gb_s "$work/gmem")
    while read -r type elements ratio bandwidth; do
        case "$ratio $elements" in
        "bandwidth 268435456")
            check "$spec: $type: $bandwidth GB/s are at least 93 % of gmem's $read_gb_s" at_least "$bandwidth" \
                "$(awk -v gb_s="$read_gb_s" 'BEGIN { print 0.93 * gb_s }')"
            ;;
        bandwidth*) ;;
        *) check "$spec: $type, $elements: the library takes $ratio of our time" at_least "$ratio" 1.00 ;;
        esac
    done <"$work/ratios"
    test_memory_tools "$spec"
}

# test_memory_tools DEVICE: NVIDIA's tools find nothing in any variant.
test_memory_tools() {
    for tool in memcheck racecheck synccheck initcheck; do
        if [ "${1%:*}" = cuda ] && command -v compute-sanitizer >"$work/null"; then
            check "$1: $tool" timeout 300 compute-sanitizer --tool "$tool" --error-exitcode 9 "$reduce" --device "$1" --quiet \
                --samples 1 --type int32,float64 --elements 1,5001,65537 --csv "$work/tool"
        else
            skip "$1: $tool" "compute-sanitizer is not here"
        fi
    done
}

devices=$(gpus)
[ -n "$devices" ] || skip "reduce on a real GPU" "no GPU is here"
for device in $devices; do
    test_device "$device"
done
finish
