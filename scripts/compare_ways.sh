#!/bin/sh
# Compares the counts of AMD's machine code with those of the host's way, on kernels of four probes:
#   sh scripts/compare_ways.sh [PART...]        default: mi210 mi300x rx7900xtx
# A line for each variant and part: its rows, whether all are verified by machine code (which also means that no race on
# shared memory was found), and for each figure whether both ways agree, or how many times the machine code's is the host's and
# whether it has merged or split requests. The status is 1 if a row is not verified, or if only one of the ways runs it.
# It takes five minutes for a part, because clang and then gcc compile each kernel.
set -eu
. "$(dirname "$0")/options.sh"
check_options "$0" "" "$@"
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
work=$(mktemp -d "${TMPDIR:-/tmp}/bankshot-ways.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
export BANKSHOT_COMPILER_SECONDS="${BANKSHOT_COMPILER_SECONDS:-900}"

failed=0

# compare PROBE VARIANT OPTION...: on $part, both ways.
compare() {
    probe=$1 variant=$2 ran=
    shift 2
    for via in c amdgcn; do
        if "$BUILD/$probe" --device "sim:$part" --via $via --variant "$variant" --quiet --csv "$work/$via.csv" "$@" >"$work/table" 2>"$work/err"; then
            ran="$ran $via"
        else
            printf '%-10s %-7s %-22s by %s: %s\n' "$part" "$probe" "$variant" "$via" "$(head -n 1 "$work/err")"
        fi
    done
    case $ran in
    " c amdgcn") awk -v part="$part" -f scripts/csv.awk -f model/experiments/compare_ways.awk "$work/c.csv" "$work/amdgcn.csv" || failed=1 ;;
    ?*) failed=1 ;;
    esac
}

printf '%-10s %-7s %-22s %4s %8s  %s\n' part probe variant rows verified 'machine code beside the host'
[ $# -gt 0 ] || set -- mi210 mi300x rx7900xtx
for part; do
    compare smem load --width 4,8,16 --stride 1,2,32
    compare smem store --width 4,8,16 --stride 1,2,32
    compare smem load-latency --width 4,16 --stride 1,32
    compare smem atomic-add --stride 1,32
    compare smem broadcast --width 4 --group 1,8
    compare smem course --width 4 --stride 1,32
    for variant in tile-copy transpose-naive transpose-shared transpose-padded transpose-swizzled; do
        compare smem $variant --width 4 --elements 16384
    done
    compare gmem all --width 4,8 --stride 1,3 --offset 0,1 --elements 20000 --window 4096
    compare reduce all --elements 70000
    compare levels latency --footprint 1M
    compare levels latency-shared --footprint 4096
    compare levels bandwidth --footprint 1M
    for variant in baseline grid-2d padded coalesced shared-column shared-row tile-64 occupancy coarsened unrolled register-tiled int16; do
        compare apsp $variant --vertices 100
    done
done
exit $failed
