#!/bin/sh
# levels on the CPU and, with a fake driver that runs kernels on the host, on the CUDA and HIP backends. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

levels=$BUILD/levels
built "$levels"
csv=$work/levels.csv
quick="--full --quiet --samples 2 --min-time 0 --max-time 0.01"

# on SPEC OPTION...: one quick run; $csv holds its rows.
on() {
    spec=$1
    shift
    rm -f "$csv"
    # shellcheck disable=SC2086 # $quick is a list
    run_with_fakes "$levels" --device "$spec" $quick "$@" --csv "$csv"
}

# verified NAME ROWS: the last run must have succeeded with this many rows, each of them verified.
verified() {
    is "$1: status" "$status $(cat "$work/err")" "0 "
    is "$1: rows" "$(column verified "$csv")" "$(yes yes | head -n "$2" | tr '\n' ' ' | sed 's/ $//')"
}

test_cpu() {
    on cpu --variant latency,latency-atomic --footprint 4K,1000K --page 0,4K
    verified "cpu: chases" 8
    is "cpu: footprints" "$(column footprint_bytes "$csv" | cut -d ' ' -f 1-4)" "4096 4096 1024000 1024000"
    is "cpu: pages" "$(column page_bytes "$csv" | tr -s ' ')" " 4096 4096 4096 4096"
    check "cpu: a chase takes time" at_least "$(column latency_ns "$csv" | cut -d ' ' -f 1)" 0.1
    check "cpu: and cycles" at_least "$(column latency_cycles "$csv" | cut -d ' ' -f 1)" 1
    # As on another machine, whose caches are described by files.
    cache=$work/sys/devices/system/cpu/cpu$(taskset -cp $$ 2>"$work/null" | sed 's/.*: //; s/[-,].*//')/cache
    mkdir -p "$cache/index0" "$cache/index1"
    printf '%s\n' 1 >"$cache/index0/level"
    printf '%s\n' 2 >"$cache/index1/level"
    printf '%s\n' Data >"$cache/index0/type"
    printf '%s\n' Unified >"$cache/index1/type"
    printf '%s\n' 8K >"$cache/index0/size"
    printf '%s\n' 64K >"$cache/index1/size"
    printf '%s\n' 128 >"$cache/index0/coherency_line_size"
    export BANKSHOT_SYSFS="$work/sys"
    on cpu --variant latency --footprint 4K,8K,16K,40K,128K,512K
    unset BANKSHOT_SYSFS
    is "cpu: levels as the system names them, none where two answer" "$(column level "$csv" | sed 's/  */ /g')" "L1 L2 memory"
    is "cpu: no level at these footprints" "$(awk -F , '/^probe/ { for (i = 1; i <= NF; i++) c[$i] = i; next }
        /^levels/ && $c["level"] == "" { printf "%s ", $c["footprint_bytes"] }' "$csv")" "8192 16384 131072 "
    is "cpu: the system's line" "$(column stride "$csv")" "16 16 16 16 16 16"
}

streams=bandwidth,bandwidth-write,bandwidth-copy,unit-bandwidth,unit-bandwidth-write,unit-bandwidth-copy

test_cpu_streams() {
    on cpu --variant $streams --footprint 64K,1M
    verified "cpu: streams" 12
    is "cpu: footprints of streams" "$(column footprint_bytes "$csv" | tr ' ' '\n' | sort -u | tr '\n' ' ')" "1048576 65536 "
    on cpu --variant $streams --footprint 1040,1280,1792 # no whole number of vectors
    is "cpu: small streams: status, verified" "$status $(column verified "$csv" | tr ' ' '\n' | sort -u)" "0 yes"
    on cpu --variant tlb --elements 16 --line 0,1M
    verified "cpu: tlb" 2
    on cpu --variant tlb-small-pages --elements 16,1024 --line 0,4K
    verified "cpu: tlb with small pages" 4
    on cpu --variant in-flight --footprint 1M --warps 1 --loads 1,8
    verified "cpu: chains at once" 2
    is "cpu: lines in flight" "$(column bytes_in_flight "$csv" | awk '{ print $2 / $1 }')" 8
    if [ "$(nproc)" -gt 1 ]; then
        run "$levels" --device cpu --variant in-flight --footprint 1M --warps 1,2 --loads 1,2 --quiet --min-time 0 --max-time 0.01
        is "cpu: each row of loads in flight tells its threads" "$(awk 'NR == 2 { line = $4 } NR > 1 { print $3, $4 / line }' "$work/out" | xargs)" \
            "1 1 1 2 2 2 2 4"
        on cpu --variant loaded-latency --footprint 1M --traffic 0,50 --writes 0,4
        verified "cpu: loaded latency" 4
        is "cpu: traffic" "$(column op "$csv"); $(column traffic_pct "$csv")" "read write read write; 0 0 50 50"
        run "$levels" --device cpu --variant loaded-latency --footprint 1M --traffic 0 --writes 0,2 --quiet --min-time 0 --max-time 0.01
        is "cpu: each verdict of reads and of writes stands below its heading" \
            "$(awk 'NR == 1 { at = index($0, "verdict") } NR > 1 { print substr($0, at - 1, 2) ~ /^ [a-z]/ }' "$work/out" | xargs)" "1 1"
    fi
    on cpu --variant dram --footprint 3M --fetch 64,128 --line 128,4160
    verified "cpu: pieces of memory" 4
    is "cpu: bytes of a piece" "$(column fetch_bytes "$csv")" "64 128 64 128"
}

# pairs_of VARIANT CSV: the pairs of nodes that it measured, with as much traffic as the row says.
pairs_of() {
    # shellcheck disable=SC2016 # a script of awk's
    echo 'row["variant"] == "'"$1"'" && row["latency_ns"] > 0 && (row["bandwidth_gb_s"] > 0) == (row["traffic_pct"] > 0) {
        print row["from"] ">" row["to"]
    }' >"$work/pairs.awk"
    awk -f scripts/csv.awk -f "$work/pairs.awk" "$2" | sed 's/node //g' | sort -u | xargs
}

# Two sockets, each with memory of its own and with some that has no processors.
test_nodes() {
    topology='Package:2 [NUMANode(memory=8GB)] [NUMANode(memory=2GB)] Core:2 PU:1'
    refuses "one node of memory" 3 env HWLOC_SYNTHETIC='NUMANode:1 PU:1' "$levels" --device cpu --variant numa
    if grep -q hwloc "$work/err"; then
        skip "nodes of memory" "$(cat "$work/err")"
        return
    fi
    refuses "too small a footprint" 2 env HWLOC_SYNTHETIC="$topology" "$levels" --device cpu --variant numa --footprint 4K
    [ "$(cat /sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages 2>"$work/null")" -gt 0 ] 2>"$work/null" ||
        refuses "pages of 1 GiB that nobody has reserved" 3 env HWLOC_SYNTHETIC="$topology" "$levels" --device cpu --variant numa-huge-pages
    run env HWLOC_SYNTHETIC="$topology" "$levels" --device cpu --variant numa,numa-small-pages --footprint 4M --samples 3 --min-time 0 \
        --max-time 0.1 --quiet --csv "$work/idle.csv"
    is "nodes without traffic: status" "$status $(cat "$work/err")" "0 "
    pairs="0>0 0>1 0>2 0>3 2>0 2>1 2>2 2>3"
    : >"$work/loaded.csv"
    for _ in $(seq 20); do # where other programs have the processors, the threads that make traffic may not run during a sample
        run env HWLOC_SYNTHETIC="$topology" "$levels" --device cpu --variant numa-loaded --footprint 4M --samples 3 --quiet --csv -
        { grep '^probe,' "$work/out"; grep -h '^levels,' "$work/out" "$work/loaded.csv"; } >"$work/both.csv"
        mv "$work/both.csv" "$work/loaded.csv"
        [ "$(pairs_of numa-loaded "$work/loaded.csv")" != "$pairs" ] || break
    done
    { cat "$work/loaded.csv"; grep '^levels,' "$work/idle.csv"; } >"$work/rows.csv"
    is "nodes: status" "$status $(column verified "$work/rows.csv" | xargs -n 1 | sort -u)" "0 yes"
    for variant in numa numa-small-pages numa-loaded; do
        is "$variant: from each node with processors to each with memory" "$(pairs_of $variant "$work/rows.csv")" "$pairs"
    done
    is "what a pretended node measured is not verified" "$(column verdict "$work/rows.csv" | xargs -n 1 | grep -cv unverified)" 0
}

test_emit_on_cpu() {
    run "$levels" --device cpu --variant latency --footprint 4K --emit-gpu $quick
    is "no row of a CPU" "$status $(grep -c 'give --variant geometry and a GPU' "$work/err")" "0 1"
}

# Options that have no column of their name, in a table.
test_table() {
    # shellcheck disable=SC2086 # $quick is a list
    run "$levels" --device cpu --variant latency --footprint 16K --page 0,4K --line 64,128 $quick
    is "a table of several pages and lines" "$status $(cat "$work/err") $(wc -l <"$work/out" | tr -d ' ')" "0  5"
}

test_refusals() {
    refuses "bulk copies of a simulated part that has none" 3 "$levels" --device sim:a100 --variant in-flight-bulk
    refuses "loads under way of a simulated part without rates" 3 "$levels" --device sim:rtx4090 --variant in-flight
    refuses "simulated copies that do not fit into shared memory" 2 "$levels" --device sim:h200 --variant in-flight-bulk --warps 32 --loads 16 --stages 8
    refuses "a simulated bandwidth without a rate" 3 "$levels" --device sim:a100 --variant bandwidth-write
    refuses "a simulated footprint that is all waits" 2 "$levels" --device sim:h200 --variant bandwidth --footprint 64K
    refuses "a simulated part without latencies" 3 "$levels" --device sim:k40
    refuses "a simulated path without a latency" 3 "$levels" --device sim:v100 --variant latency-atomic
    refuses "paths shorter than a block's start" 2 "$levels" --device sim:h200 --variant bandwidth-follow --footprint 128K
    refuses "blocks on a CPU" 3 "$levels" --device cpu --variant bandwidth-follow
    refuses "a path that the CPU lacks" 3 "$levels" --device cpu --variant latency-shared
    refuses "a line that holds no address" 2 "$levels" --device cpu --line 12
    refuses "a footprint below the line" 2 "$levels" --device cpu --footprint 64 --line 128
    refuses "a page of broken lines" 2 "$levels" --device cpu --page 1000
    refuses "a CPU's stores, which wait for nothing" 3 "$levels" --device cpu --variant latency-store
    refuses "more threads than the CPU has" 2 "$levels" --device cpu --variant in-flight --warps $(($(nproc) + 1))
    refuses "a footprint too small for its chains" 2 "$levels" --device cpu --variant in-flight --footprint 4K --loads 32
    refuses "partitions of a CPU" 3 "$levels" --device cpu --variant partitions
    refuses "traffic on a single thread" 3 env OMP_NUM_THREADS=1 "$levels" --device cpu --variant loaded-latency --footprint 1M
    check "a single thread leaves it out" env OMP_NUM_THREADS=1 "$levels" --device cpu --budget 1 --quiet
    refuses "a piece that is no power of two" 2 "$levels" --device cpu --variant dram --fetch 48
    refuses "pieces that overlap" 2 "$levels" --device cpu --variant dram --fetch 256 --line 128
    refuses "a geometry of broken words" 2 "$levels" --device cpu --variant geometry --line 12
    refuses "a geometry of lines without neighbours" 2 "$levels" --device cpu --variant geometry --line 2K
    refuses "a footprint beyond the memory" 2 "$levels" --device cpu --footprint 900T
}

# The latencies of model/time/latency.c come out of the chases. Of 1 GiB only a part is followed.
test_simulated() {
    on sim:h200 --variant latency --footprint 16K,1M,1G
    verified "sim:h200: chases" 3
    is "sim:h200: L1 and L2" "$(column latency_cycles "$csv" | cut -d ' ' -f 1,2)" "32 280"
    is "sim:h200: memory" "$(column latency_cycles "$csv" | awk '{ print ($3 > 670 && $3 < 690) }')" 1
    is "sim:h200: source" "$(column source "$csv")" "predicted predicted predicted"
    run "$levels" --device sim:h200 --variant latency,latency-read-only --footprint 1G
    is "sim:h200: the table of latencies is 80 columns wide" "$status $(awk 'length > 80' "$work/out")" "0 "
    run "$levels" --quick --budget 600 --device sim:h200
    is "sim:h200: a headline says what a cache answers, and asks for no peak" "$status $(grep -cE \
        '^sim:h200: latency [0-9.]+ ns, .*bandwidth [0-9.]+ GB/s \(cache-resident\), unit-.*, predicted$' "$work/out") $(grep -c 'peak is unknown' "$work/out")" "0 1 0"
    on sim:h200 --variant latency-atomic,latency-store,latency-shared --footprint 16K
    verified "sim:h200: other paths" 3
    is "sim:h200: near and far" "$(column latency_cycles "$csv")" "390 501 23"
    on sim:h200 --variant latency,latency-atomic,latency-shared --footprint 4K
    is "sim:h200: a launch takes as long as measured, within 5 %" "$(column predicted_ns "$csv" |
        awk '{ print ($1 / 539776 - 1) ^ 2 < 0.0025, ($2 / 8238128 - 1) ^ 2 < 0.0025, ($3 / 396252 - 1) ^ 2 < 0.0025 }')" "1 1 1"
    on sim:h200 --variant latency,latency-store --footprint 64K,1M --sim-blocks 1
    verified "sim:h200: a chain is filled by all blocks" 4
    refuses "some blocks of a stream" 2 "$levels" --device sim:h200 --variant bandwidth --footprint 2M --sim-blocks 1
    on sim:h200 --variant bandwidth,bandwidth-write,bandwidth-copy --footprint 2M
    verified "sim:h200: streams" 3
    is "sim:h200: reads above copies above writes" "$(column bandwidth_gb_s "$csv" | awk '{ print ($1 > $3 && $3 > $2) }')" 1
    on sim:a100 --variant bandwidth-follow --footprint 4M,36M,64M
    verified "sim:a100: blocks that follow each other" 3
    is "sim:a100: a published curve, within 10 %" "$(column bandwidth_gb_s "$csv" |
        awk '{ print ($1 / 5466.9 - 1) ^ 2 < 0.01, ($2 / 3004 - 1) ^ 2 < 0.01, ($3 / 1893 - 1) ^ 2 < 0.01 }')" "1 1 1"
    on sim:a100 --variant latency --line 128 --footprint 155776,168320,174720,196224
    is "sim:a100: a published curve where L1 ends, within 15 %" "$(column latency_cycles "$csv" |
        awk '{ print ($1 / 33.9 - 1) ^ 2 < 0.0225, ($2 / 84.1 - 1) ^ 2 < 0.0225, ($3 / 98.9 - 1) ^ 2 < 0.0225, ($4 / 148.7 - 1) ^ 2 < 0.0225 }')" "1 1 1 1"
    footprints=30720K published=1693.9 # the ends of the curve; tests/unit/test_footprint.c has the rest
    ! everything || { footprints=4M,30720K published="5064.1 1693.9"; }
    on sim:mi210 --via c --variant bandwidth-follow --footprint $footprints
    verified "sim:mi210: blocks that follow each other" "$(echo "$published" | wc -w)"
    is "sim:mi210: a published curve, within 15 %" "$(echo "$published $(column bandwidth_gb_s "$csv")" |
        awk '{ for (i = 1; i <= NF / 2; i++) if (!(($(i + NF / 2) / $i - 1) ^ 2 < 0.0225)) print $i, $(i + NF / 2) }')" ""
    on sim:h200 --variant unit-bandwidth --footprint 64K
    is "sim:h200: bytes a clock out of L1" "$(column bandwidth_gb_s "$csv" | awk '{ print int($1 / 132 / 1.98) }')" 125
    on sim:mi300x --variant latency --footprint 16K,1M,32M
    verified "sim:mi300x: chases" 3
    is "sim:mi300x: three levels" "$(column latency_cycles "$csv" | awk '{ print $1, $2, int($3) }')" "116 240 458"
}

# The bandwidths of some bytes in flight, from L2 and from memory, beside those of two GPUs: on the second nothing was fitted.
test_flights() {
    gpu=$1 paths="in-flight-async in-flight-bulk" stages=1,4
    everything && paths="in-flight-async in-flight-async-l2 in-flight-bulk" stages=1,2,4
    for path in $paths; do
        warps=8 && [ "$path" != in-flight-bulk ] || warps=4
        on "sim:$gpu" --variant "$path" --width 16 --warps $warps --loads 1 --stages $stages
        check "sim:$gpu: $path is verified" test "$status $(column verified "$csv" | tr ' ' '\n' | sort -u)" = "0 yes"
        is "sim:$gpu: $path as measured, within 15 %" "$(awk -f scripts/csv.awk -f /dev/fd/3 "$csv" "results/$gpu/levels-in-flight.csv" 3<<'AWK'
function key() { return row["variant"] "," row["footprint_bytes"] "," row["bytes_in_flight"] "," row["width_bytes"] "," row["block"] "," row["parameters"] }
FNR == NR { predicted[key()] = row["bandwidth_gb_s"]; next }
key() in predicted { rows++; near += (predicted[key()] / row["bandwidth_gb_s"] - 1) ^ 2 < 0.0225 }
END { print rows - near, (rows > 3) }
AWK
)" "0 1"
    done
    on "sim:$gpu" --variant in-flight --warps 2,16 --loads 1,2
    verified "sim:$gpu: loads in flight" 4
}

# test_backend BACKEND
test_backend() {
    on "$1" --variant latency,latency-read-only,latency-atomic,latency-shared --footprint 1K,20000 --page 0,1K
    verified "$1: chases" 16
    on "$1" --variant latency-store --footprint 1K,1M
    verified "$1: stores" 2
    FAKE_KERNEL=chase_store FAKE_FAIL=wrong on "$1" --variant latency-store --footprint 1K
    is "$1: a wrong store: verified" "$status $(column verified "$csv")" "1 no"
    on "$1" --variant $streams --footprint 40K,300K
    verified "$1: streams" 12
    FAKE_UNITS=1 on "$1" --variant bandwidth-follow --footprint 300K,600K # with 512 blocks a unit
    verified "$1: blocks that follow each other" 2
    is "$1: whole paths of theirs" "$(column footprint_bytes "$csv")" "262144 524288"
    on "$1" --variant in-flight,tlb --footprint 1M --warps 1,4 --loads 1,4 --elements 16 --line 0,64K
    verified "$1: in flight, and pages" 6
    is "$1: bytes in flight" "$(column bytes_in_flight "$csv" | awk '{ print $2 / $1, $3 / $1, $4 / $1 }')" "4 4 16"
    on "$1" --variant loaded-latency --footprint 1M --traffic 0,50 --writes 0,2
    verified "$1: loaded latency" 4
    on "$1" --variant dram --footprint 3M --fetch 32,1K --line 1K,4160
    verified "$1: pieces of memory" 4
    FAKE_KERNEL=piece_read FAKE_FAIL=wrong on "$1" --variant dram --footprint 1M --fetch 64 --line 64
    is "$1: a wrong sum of pieces: verified" "$status $(column verified "$csv")" "1 no"
    on "$1" --variant partitions --elements 3 --footprint 64K
    verified "$1: partitions" 12
    is "$1: each of four units with each of three addresses" "$(awk -v want=compute_unit -f scripts/csv.awk \
        -f tests/shell/column.awk "$csv" | sort | uniq -c | tr -s ' \n' ' ')" " 3 0 3 1 3 2 3 3 "
    is "$1: addresses" "$(column address "$csv" | tr ' ' '\n' | sort -u | wc -l)" 3
    FAKE_KERNEL=chase_partitions FAKE_FAIL=wrong on "$1" --variant partitions --elements 3 --footprint 64K
    is "$1: a wrong partition: status" "$status" 1
    refuses "$1: partitions without room" 2 env LD_LIBRARY_PATH="$work/lib" CUDA_HOME="$work" ROCM_PATH="$work" \
        "$levels" --device "$1" --variant partitions --elements 3 --footprint 256
    env LD_LIBRARY_PATH="$work/lib" CUDA_HOME="$work" ROCM_PATH="$work" FAKE_MEMORY_MB=64 \
        "$levels" --device "$1" --variant geometry --emit-gpu --quiet --min-time 0 --max-time 0.01 --peak 0.001 --csv "$csv" >"$work/row" 2>"$work/err"
    status=$?
    case $status:$(cat "$work/err") in
    0:) # the fakes' levels are the host's: as noisy as that may be
        check "$1: a row for the table of GPUs" grep -q '^    {.name = "' "$work/row"
        awk -v row="$work/row" '{ print } /^const struct gpu gpu_rows/ { while ((getline line < row) > 0) print line }' \
            model/gpus.c >"$work/gpus.c"
        run "${CC:-cc}" -std=c11 -I. -D_GNU_SOURCE -Wall -Wextra -Werror -c -o "$work/gpus.o" "$work/gpus.c"
        is "$1: the table of GPUs takes it" "$status $(cat "$work/err")" "0 "
        is "$1: each level says who shares it, or why that does not show" "$(column parameter "$csv" | tr ' ' '\n' | grep -c '^sharing$')" \
            "$(column parameter "$csv" | sed 's/size at//g' | tr ' ' '\n' | grep -c '^size$')"
        # shellcheck disable=SC2016 # a script of awk's
        echo 'row["level"] row["parameter"] == "memorybandwidth" && row["model"] != "not shown" { print row["model"], row["verdict"] }' >"$work/memory.awk"
        # A noisy one is left out.
        is "$1: no bandwidth of memory above its peak is stated" \
            "$(awk -f scripts/csv.awk -f "$work/memory.awk" "$csv" | grep -vx 'differs above-peak')" ""
        ;;
    *) skip "$1: a row for the table of GPUs" "geometry on the host: $(tail -n 1 "$work/err")" ;;
    esac
    refuses "$1: more than registers hold" 2 env LD_LIBRARY_PATH="$work/lib" CUDA_HOME="$work" ROCM_PATH="$work" \
        "$levels" --device "$1" --variant in-flight --warps 64 --loads 8
    FAKE_KERNEL=unit_write FAKE_FAIL=wrong on "$1" --variant unit-bandwidth-write --footprint 64K
    is "$1: a wrong write: verified" "$status $(column verified "$csv")" "1 no"
    FAKE_KERNEL=stream_read FAKE_FAIL=wrong on "$1" --variant bandwidth --footprint 64K
    is "$1: a wrong sum: verified" "$status $(column verified "$csv")" "1 no"
    FAKE_KERNEL=chase FAKE_FAIL=wrong on "$1" --variant latency --footprint 4K
    is "$1: a wrong end: status" "$status" 1
    is "$1: a wrong end: verified" "$(column verified "$csv")" no
    FAKE_MEMORY_MB=1 on "$1" --variant latency --footprint 8M
    is "$1: a footprint over the memory: status" "$status" 2
}

link_fakes "$work/lib"
test_cpu
test_cpu_streams
test_table
test_emit_on_cpu
test_nodes
test_refusals
if has_simulator; then
    test_simulated
    test_flights h200
    ! everything || test_flights h100
fi
# The path that only NVIDIA has.
test_constants() {
    on cuda --variant latency-constant --footprint 1K,5000,64K
    verified "cuda: constants" 3
    is "cuda: footprints of constants" "$(column footprint_bytes "$csv")" "1024 4992 65536"
    refuses "cuda: more than the constants" 2 env LD_LIBRARY_PATH="$work/lib" CUDA_HOME="$work" \
        "$levels" --device cuda --variant latency-constant --footprint 128K
    refuses "cuda: more elements than the constants have" 2 env LD_LIBRARY_PATH="$work/lib" CUDA_HOME="$work" \
        "$levels" --device cuda --variant latency-constant --footprint 64K --line 8
}

# Copies to shared memory, and loads by policy; on the host they are loads and stores (tests/unit/test_levels_staged.c runs the PTX).
test_copies() {
    on cuda --variant in-flight-async,in-flight-bulk --footprint 1M --warps 1,4 --loads 1,2 --stages 1,3 --width 16
    verified "cuda: copies in flight" 16
    is "cuda: bytes of copies in flight" "$(column bytes_in_flight "$csv" | awk '{ print $2 / $1, $3 / $1, $5 / $1 }')" "3 2 4"
    on cuda --variant in-flight-async --footprint 1M --warps 2 --loads 1 --stages 2 --width 4,8
    verified "cuda: narrow copies" 2
    for wrong in words bulk; do
        case $wrong in words) variant=in-flight-async-l2 ;; *) variant=in-flight-bulk ;; esac
        FAKE_KERNEL=staged_$wrong FAKE_FAIL=wrong on cuda --variant $variant --footprint 1M --warps 2 --loads 1 --stages 2
        is "cuda: a wrong sum of $variant: verified" "$status $(column verified "$csv")" "1 no"
    done
    # shellcheck disable=SC2046 # a list
    on cuda --variant "$("$levels" --list | sed -n 's/^\(policy-[^ ]*\).*/\1/p' | paste -sd , -)" --footprint 64K
    verified "cuda: policies" 10
    on cuda --memory pool --variant latency,bandwidth,bandwidth-copy,in-flight-bulk --footprint 256K --warps 2 --loads 1 --stages 2
    verified "cuda: memory of a pool" 4
    is "cuda: memory of a pool has levels" "$(column level "$csv" | wc -w | tr -d ' ')" "$(on cuda --variant latency,bandwidth,bandwidth-copy,in-flight-bulk --footprint 256K --warps 2 --loads 1 --stages 2; column level "$csv" | wc -w | tr -d ' ')"
    FAKE_FAIL=pool on cuda --memory pool --variant latency --footprint 256K
    is "cuda: a pool without room" "$status $(grep -c "from the driver's pool failed" "$work/err")" "1 1"
    for kind in pinned managed; do
        on cuda --memory $kind --variant latency,bandwidth,bandwidth-copy,in-flight-bulk --footprint 256K --warps 2 --loads 1 --stages 2
        verified "cuda: $kind memory" 4
        is "cuda: $kind memory is named" "$(column parameters "$csv" | tr ' ' '\n' | grep -c "memory=$kind")" 4
        is "cuda: $kind memory is no level" "$(column level "$csv" | tr -d ' ')" ""
        refuses "cpu: $kind memory" 3 "$levels" --device cpu --memory $kind --variant latency
    done
    refuses "shared memory is not pinned" 3 env LD_LIBRARY_PATH="$work/lib" CUDA_HOME="$work" \
        "$levels" --device cuda --memory pinned --variant latency-shared
    for option in "--stages 32 --warps 32 --loads 4" "--width 8 --variant in-flight-bulk" "--warps 64"; do
        # shellcheck disable=SC2086 # a list of options
        refuses "cuda: copies with $option" 2 env LD_LIBRARY_PATH="$work/lib" CUDA_HOME="$work" \
            "$levels" --device cuda --variant in-flight-async-l2 $option
    done
}

! has_fake cuda || test_backend cuda
! has_fake cuda || test_copies
! has_fake cuda || test_constants
! has_fake cuda || refuses "cuda: small pages" 3 env LD_LIBRARY_PATH="$work/lib" CUDA_HOME="$work" "$levels" --device cuda \
    --variant tlb-small-pages
! everything || ! has_fake hip || test_backend hip
for variant in in-flight-async in-flight-bulk policy-nc; do
    ! has_fake hip || refuses "hip: $variant" 3 env LD_LIBRARY_PATH="$work/lib" ROCM_PATH="$work" "$levels" --device hip \
        --variant $variant
    refuses "cpu: $variant" 3 "$levels" --device cpu --variant $variant
    refuses "sim: $variant" 3 "$levels" --device sim:mi210 --variant $variant
done
! has_fake hip || refuses "hip: constants" 3 env LD_LIBRARY_PATH="$work/lib" ROCM_PATH="$work" "$levels" --device hip \
    --variant latency-constant
finish
