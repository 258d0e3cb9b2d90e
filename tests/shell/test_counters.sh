#!/bin/sh
# --counters: the vendor's counters beside measured rows, from fake profilers (tests/fakes/ncu, tests/fakes/rocprofv3) around
# the programs on fake drivers. What a profiler does wrong costs its counters and no row.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

gmem=$BUILD/gmem
built "$gmem"
csv=$work/rows.csv
requests=l1tex__t_requests_pipe_lsu_mem_global_op
sectors=l1tex__t_sectors_pipe_lsu_mem_global_op
passes=l1tex__data_pipe_lsu_wavefronts_mem_shared_op
conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op

# counted PROGRAM OPTION...: with counters, on a GPU that calls itself an H200.
counted() {
    rm -f "$csv"
    run_with_fakes FAKE_NAME="${NAME:-NVIDIA H200}" FAKE_UNITS="${UNITS:-132}" NCU="${NCU-$PWD/tests/fakes/ncu}" \
        ROCPROF="$PWD/tests/fakes/rocprofv3" TMPDIR="$work/tmp" "$@" --quiet --samples 2 --counters --csv "$csv"
}

# copy FAULT: two rows of gmem, with that fault of the profiler's.
copy() {
    export FAKE_NCU="$1"
    shift
    counted "$gmem" --device cuda:0 --variant copy,read --stride 1 --width 4 --elements 64K "$@"
    unset FAKE_NCU
}

# fails NAME PATTERN: status 1, one line, both rows without counters.
fails() {
    is "$1: status, lines, and what they say" "$status $(wc -l <"$work/err" | tr -d ' ') $(grep -cE "$2" "$work/err")" "1 1 1"
    is "$1: the rows are kept, without counters" "$(column verified "$csv")$(column counters "$csv" | tr -d ' ')" "yes yes"
    is "$1: nothing is left behind" "$(ls "$work/tmp")" ""
}

# denies NAME PATTERN: status 0, one line, both rows say denied.
denies() {
    is "$1: status, lines, and what they say" "$status $(wc -l <"$work/err" | tr -d ' ') $(grep -cE "$2" "$work/err")" "0 1 1"
    is "$1: the rows say so" "$(column verified "$csv") $(column counters "$csv")" "yes yes denied denied"
}

# 64K elements of 4 bytes: 2048 requests of 4 sectors each way. For its checksums a read has 16 blocks of 8 warps.
test_gmem() {
    export FAKE_COUNTS="${requests}_ld.sum=2048 ${requests}_st.sum=2048 ${sectors}_ld.sum=8192 ${sectors}_st.sum=8192 dram__bytes_read.sum=262144
        dram__bytes_write.sum=12 smsp__inst_executed.sum=1234567 smsp__thread_inst_executed_per_inst_executed.ratio=24
        smsp__inst_executed_op_branch.sum=1024 ${passes}_ld.sum=16 ${passes}_st.sum=128"
    copy ''
    is "counters that agree" "$status $(column counters "$csv")" "0 agrees agrees"
    is "one line sums them up" "$(cat "$work/err")" "gmem: counters: 2 rows agree with the model, 0 differ"
    is "a copy's loads and stores, a read's loads" "$(column counted_requests "$csv") $(column counted_sectors "$csv")" "4096 2048 16384 8192"
    is "numbers with commas" "$(column counted_instructions "$csv")" "1234567 1234567"
    is "shares, and branches of a warp" \
        "$(for name in counted_dram_write_bytes counted_active_lanes_pct counted_branches; do echo "$(column $name "$csv")"; done | paste -sd ' ' -)" \
        "12 12 75.00 75.00 2 8"
    is "rows are timed as always" "$(column samples "$csv") $(column verified "$csv")" "2 2 yes yes"
    FAKE_COUNTS="$FAKE_COUNTS ${sectors}_ld.sum=8275" copy ''
    is "sectors 1.01 % off: reads differ, a copy is within 1 %" "$status $(column counters "$csv")" "0 agrees differs"
    FAKE_COUNTS="${requests}_red.sum=2048 ${requests}_atom.sum=5 ${sectors}_red.sum=8192" \
        counted "$gmem" --device cuda:0 --variant atomic-add --width 4 --window 0 --elements 64K
    is "atomics count, too, whether they return a value or not" "$status $(column counted_requests "$csv") $(column counted_sectors "$csv")" "0 2053 8192"
    copy unknown
    is "metrics that the part lacks are empty" "$status $(column counted_sectors "$csv" | tr -d ' ')$(column counters "$csv" | tr -d ' ')" "0 "
    rm -f "$csv"
    run_with_fakes FAKE_NAME="NVIDIA H200" FAKE_UNITS=132 NCU="$PWD/tests/fakes/ncu" TMPDIR="$work/tmp" "$gmem" --device cuda:0 --variant copy,read \
        --stride 1 --width 4 --elements 64K --quiet --counters --csv "$csv" --budget 4
    is "rows that a budget measures again keep their counters" "$status $(column counters "$csv")" "0 agrees agrees"
    is "and are summed up once" "$(cat "$work/err")" "gmem: counters: 2 rows agree with the model, 0 differ"
    mkdir "$work/kept"
    BANKSHOT_COUNTERS=$work/kept copy ''
    check "what was printed can be kept" grep -q '"stride_read"' "$work/kept/ncu-0/log"
}

test_faults() {
    copy denied
    denies "no permission" '^gmem: counters: ncu is not allowed to count: .*NVreg_RestrictProfilingToAdminUsers=0'
    NCU=$work/none copy ''
    denies "no profiler" '^gmem: counters: ncu was not found: .*NCU=FILE'
    copy torn
    fails "an incomplete table" "ncu's table is incomplete after 1 launches"
    copy others
    fails "another kernel" 'counted another as launch 0, where stride_copy was launched'
    copy fewer
    fails "a launch too few" 'ncu counted only 1 launches'
    copy fails
    fails "a profiler that fails" 'ended with status 3 .*out of order'
    copy hangs --budget 0.5 --min-time 0
    is "a profiler that hangs: status and line" "$status $(grep -c 'hangs: it printed nothing for 16 s' "$work/err")" "1 1"
    check "a profiler that hangs: a row is kept" [ -n "$(column verified "$csv")" ]
    FAKE_FAIL=wrong copy ''
    is "a wrong result is still told" "$status $(column verified "$csv")" "1 no no"
}

test_others() {
    [ -x "$BUILD/smem" ] && [ -x "$BUILD/reduce" ] && [ -x "$BUILD/apsp" ] && [ -x "$BUILD/levels" ] || return
    counted "$BUILD/smem" --device cuda:0 --variant load,store --width 4 --stride 1 --block 64
    expected=$(column passes "$csv")
    is "smem: what nobody counted differs" "$(column counters "$csv")" "differs differs"
    FAKE_COUNTS="${passes}_ld.sum=${expected% *} ${passes}_st.sum=${expected#* } ${conflicts}_ld.sum=3" \
        counted "$BUILD/smem" --device cuda:0 --variant load,store --width 4 --stride 1 --block 64
    is "smem: passes by the row's own operation" "$(column counters "$csv") $(column counted_conflicts "$csv")" "agrees agrees 3 0"
    FAKE_COUNTS="${passes}_ld.sum=1 ${passes}_st.sum=20 ${passes}_atom.sum=300 ${conflicts}_atom.sum=7" \
        counted "$BUILD/smem" --device cuda:0 --variant atomic-add --stride 1 --block 64
    is "smem: atomics count with loads and stores" "$status $(column counted_passes "$csv") $(column counted_conflicts "$csv")" "0 321 7"
    counted "$BUILD/reduce" --device cuda:0 --variant sequential --elements 100000
    is "reduce: the first of two launches" "$status $(column grid "$csv") $(column counted_requests "$csv")" "0 196 4096"
    counted "$BUILD/apsp" --device cuda:0 --variant register-tiled --tile 128 --vertices 256
    is "apsp: status" "$status" 0
    # shellcheck disable=SC2016 # a script of awk's
    echo '{ printf "%s %s;", row["kernel"], row["counted_requests"] }' >"$work/kernels.awk"
    is "apsp: each kernel has its own" "$(awk -f scripts/csv.awk -f "$work/kernels.awk" "$csv")" \
        "copy-in ;init ;pad 4096;phase1 4096;phase2 4096;phase3 4096;unpad 4096;copy-out ;all ;"
    counted "$BUILD/apsp" --device cuda:0 --variant register-tiled --vertices 256
    is "apsp: the launches of a kernel are told by their grids" "$status $(awk -f scripts/csv.awk -f "$work/kernels.awk" "$csv")" \
        "0 copy-in ;init ;pad 4096;prepare ;whole_round 4096;unpad 4096;copy-out ;all ;"
    export FAKE_COUNTS="l1tex__t_sector_hit_rate.pct=97 dram__bytes_read.sum=64 profiler__replayer_passes=1 smsp__inst_executed.sum=1234567"
    UNITS=4 counted "$BUILD/levels" --device cuda:0 --variant latency,bandwidth --footprint 64K
    is "levels: hits of warm caches, with nothing to compare" "$status $(column counted_l1_hit_pct "$csv") $(column counted_dram_read_bytes "$csv") $(
        column counters "$csv" | tr -d ' ')$(column counted_instructions "$csv" | tr -d ' ')" "0 97.00 97.00 64 64 "
    FAKE_COUNTS="profiler__replayer_passes=3" counted "$BUILD/levels" --device cuda:0 --variant latency --footprint 4K
    is "levels: caches that a second pass changed" "$status $(column counted_l1_hit_pct "$csv" | tr -d ' ')$(grep -c 'launched a kernel again' "$work/err")" "1 1"
}

test_amd() {
    export FAKE_COUNTS="SQ_INSTS_VMEM_RD=1023 SQ_INSTS_VMEM_WR=1024 FETCH_SIZE=3 TCC_HIT_sum=3 TCC_MISS_sum=1"
    amd() { NAME="AMD Instinct MI210" counted "$gmem" --device hip:0 --variant copy,read --stride 1 --width 4 --elements 64K; }
    amd
    # The model does not know this GPU, so it cannot leave out the stores of a read's checksums.
    is "AMD: groups of counters together" "$status $(column counted_requests "$csv") $(column counted_dram_read_bytes "$csv") $(column counted_l2_hit_pct "$csv")" \
        "0 2047 2047 3072 3072 75.00 75.00"
    is "AMD: columns that it lacks" "$(column counted_sectors "$csv" | tr -d ' ')$(column counted_l1_hit_pct "$csv" | tr -d ' ')" ""
    long=$work/$(printf '%0200d/%0200d/%0200d' 1 2 3)
    mkdir -p "$long"
    BANKSHOT_COUNTERS=$long amd
    is "AMD: a folder of a long path" "$status $(column counted_requests "$csv")" "0 2047 2047"
    FAKE_ROCPROF=denied amd
    denies "AMD: no permission" '^gmem: counters: rocprofv3 is not allowed to count: '
    FAKE_ROCPROF=torn amd
    fails "AMD: an incomplete table" "rocprofv3's table is incomplete"
    FAKE_ROCPROF=empty amd
    fails "AMD: a table without a header" "rocprofv3's table is incomplete after 0 launches"
    # Counters of other architectures have other names, or are missing.
    export FAKE_COUNTS="SQ_INSTS_VMEM_RD=1023 SQ_INSTS_VMEM_WR=1024 FETCH_SIZE=3 TCC_HIT_sum=3 TCC_MISS_sum=1 GL2C_HIT_sum=3 GL2C_MISS_sum=2 \
SQC_LDS_IDX_ACTIVE=5 SQC_LDS_BANK_CONFLICT=4"
    counts_of_arch gfx906 "SQ_INSTS_VMEM_RD SQ_INSTS_VMEM_WR SQ_LDS_BANK_CONFLICT FETCH_SIZE WRITE_SIZE TCC_HIT_sum TCC_MISS_sum" \
        "0 2047 2047 3072 3072 75.00 75.00 0 0"
    counts_of_arch gfx1100 "SQC_LDS_BANK_CONFLICT SQC_LDS_IDX_ACTIVE FETCH_SIZE WRITE_SIZE GL2C_HIT_sum GL2C_MISS_sum" \
        "0  3072 3072 60.00 60.00 4 4"
    counts_of_arch gfx1201 "SQC_LDS_BANK_CONFLICT SQC_LDS_IDX_ACTIVE FETCH_SIZE GL2C_HIT_sum GL2C_MISS_sum" \
        "0  3072 3072 60.00 60.00 4 4"
    unset FAKE_COUNTS
}

# counts_of_arch ARCH KNOWN EXPECTED: with the counters that the architecture has.
counts_of_arch() {
    FAKE_ARCH=$1 FAKE_KNOWN=$2 amd
    is "AMD: counters of $1" "$status $(for name in counted_requests counted_dram_read_bytes counted_l2_hit_pct counted_conflicts; do
        column "$name" "$csv"
        echo
    done | tr -s ' \n' ' ' | sed 's/ $//')" "$3"
}

test_refusals() {
    for device in cpu sim:h200; do
        refuses "--counters on $device" 2,3 "$gmem" --device $device --variant copy --elements 64K --counters
    done
    is "the run under the profiler is not the user's" "$("$gmem" --help | grep -c count-launches)" 0
}

mkdir "$work/tmp"
link_fakes "$work/lib"
test_refusals
! has_fake cuda || { test_gmem && test_faults && test_others; }
! has_fake hip || test_amd
if has_fake cuda; then
    export NCU="$PWD/tests/fakes/ncu" FAKE_COUNTS=
    refuses "a graph from standard input" 2 env LD_LIBRARY_PATH="$work/lib" CUDA_HOME="$work" "$BUILD/apsp" --device cuda:0 --variant padded --graph - --counters
fi
finish
