#!/bin/sh
# What gmem promises on its command line, as a user sees it. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

gmem=$BUILD/gmem
built "$gmem"
columns=probe,variant,backend,device,arch,source,kernel,op,width_bytes,stride,offset,elements,block,grid,tile,vertices
columns=$columns,edges,devices,footprint_bytes,samples,time_ns_median,time_ns_min,time_ns_max,noise_pct,clock_mhz
columns=$columns,useful_bytes,bandwidth_gb_s,peak_gb_s,peak_pct,ops,gop_s,peak_gop_s,cycles_per_request,requests
columns=$columns,sector_bytes,sectors,sectors_per_request,load_efficiency_pct,store_efficiency_pct,passes
columns=$columns,passes_per_request,load_bank_conflicts,store_bank_conflicts,bank_conflicts,shared_efficiency_pct,warps
columns=$columns,active_lanes_pct,branches,verified,verdict
has_sim=$("$gmem" --list-devices 2>/dev/null | grep -c "^sim:")

# measure DEVICE OPTION...: a short run whose CSV lands in $work/out.
measure() {
    device=$1
    shift
    run "$gmem" --device "$device" --full --quiet --min-time 0 --max-time 0.02 --csv - "$@"
}

# values NAME COLUMN EXPECTED DEVICE OPTION...: a short run must end well and have these values in the column.
values() {
    label=$1 want=$2 expected=$3
    shift 3
    measure "$@"
    if [ "$status" -ne 0 ]; then
        fail "$label" "$*" "status $status" "$(cat "$work/err")"
    else
        is "$label" "$(column "$want" "$work/out")" "$expected"
    fi
}

# sim_values: the same where the simulator is built.
sim_values() {
    if [ "$has_sim" -gt 0 ]; then values "$@"; else skip "$1" "the simulator is not built here"; fi
}

test_lists() {
    run "$gmem" --help
    is "--help ends with status 0" "$status" 0
    is "--help prints nothing on standard error" "$(cat "$work/err")" ""
    for option in device list-devices list-gpus list variant stride width offset window elements block csv min-time max-time noise \
        samples cache seed sim-blocks quiet help version; do
        check "--help names --$option" grep -q -e "--$option\b" "$work/out"
    done
    is "--help is at most 80 columns wide" "$(awk 'length > 80' "$work/out")" ""

    run "$gmem" --version
    is "--version ends with status 0" "$status" 0
    check "--version names the program and its version" grep -Eq 'gmem.* [0-9]+\.[0-9]+\.[0-9]+' "$work/out"

    run "$gmem" --list
    is "--list ends with status 0" "$status" 0
    for variant in stride-copy read write copy copy-bulk read-bulk triad sum gather scatter gather-scatter offset; do
        check "--list names $variant" grep -q "^ *$variant\b" "$work/out"
    done

    run "$gmem" --list-gpus
    is "--list-gpus ends with status 0" "$status" 0
    for gpu in gtx1080 v100 rtx3080 a100 h100 h200 b200 rtx4090 mi100 mi210 mi250x mi300x mi355x rx7900xtx; do
        check "--list-gpus names $gpu" grep -q "^ *$gpu\b" "$work/out"
    done

    run "$gmem" --list-devices
    is "--list-devices ends with status 0" "$status" 0
    for backend in cuda hip cpu sim; do
        check "--list-devices has a line for $backend" grep -q "^ *$backend" "$work/out"
    done
}

test_csv() {
    measure cpu --variant copy --width 4 --elements 64K
    is "a run on the CPU ends with status 0" "$status" 0
    is "with --quiet nothing is on standard error" "$(cat "$work/err")" ""
    for key in bankshot date host device driver compiler command; do
        check "the CSV has a comment '# ...$key...:'" grep -Eqi "^# [a-z_ ]*${key}[a-z_ ]*: " "$work/out"
    done
    grep -v '^#' "$work/out" | head -n 1 | tr -d '\r' | tr , '\n' >"$work/header"
    echo "$columns" | tr , '\n' >"$work/columns"
    is "the first line that is no comment names the columns, in their order" \
        "$(grep -Fx -f "$work/columns" "$work/header" | tr '\n' ,)" "$columns,"
    is "no column has the name of another" "$(sort "$work/header" | uniq -d)" ""
    is "comments stand above the header only" "$(sed '1,/^probe,/d' "$work/out" | grep -c '^#')" 0
    is "column probe" "$(column probe "$work/out")" gmem
    is "column backend" "$(column backend "$work/out")" cpu
    is "column source: the CPU is measured" "$(column source "$work/out")" measured
    is "column verified" "$(column verified "$work/out")" yes
    is "column elements takes K" "$(column elements "$work/out")" 65536
    is "useful bytes are read plus written" "$(column useful_bytes "$work/out")" 524288
    is "bandwidth is useful bytes over the median" "$(awk -f scripts/csv.awk -f /dev/stdin "$work/out" <<'END'
{ ratio = row["useful_bytes"] / row["time_ns_median"] / row["bandwidth_gb_s"]; print (ratio > 0.99 && ratio < 1.01) }
END
)" 1
    check "at least 10 samples, with those in which threads waited" \
        [ $(($(column samples "$work/out") + $(column samples_dropped "$work/out"))) -ge 10 ]

    if command -v python3 >/dev/null; then
        measure cpu --variant all --width 4,8 --stride 1,2 --elements 64K
        check "python3's csv module reads it" python3 tests/shell/read_csv.py "$work/out"
    else
        skip "python3's csv module reads it" "python3 is not here"
    fi

    run "$gmem" --device cpu --quiet --max-time 0.02 --min-time 0 --variant copy --width 4 --elements 64K --csv "$work/file.csv"
    is "--csv FILE prints nothing on standard output" "$(cat "$work/out")" ""
    is "--csv FILE holds the row" "$(column variant "$work/file.csv")" copy
    run "$gmem" --device cpu --quiet --max-time 0.02 --min-time 0 --variant copy --width 4 --elements 64K --csv="$work/file.csv"
    is "--csv=FILE replaces a file that exists" "$status $(column variant "$work/file.csv")" "0 copy"
    run "$gmem" --device cpu --quiet --max-time 0.02 --min-time 0 --variant copy --width 4 --elements 64K --csv "$work/a
b.csv"
    is "a line end in an argument stays within its comment" "$(sed '/^probe,/q' "$work/a
b.csv" | grep -cv '^#')" 1
    run "$gmem" --device cpu --quiet --max-time 0.02 --min-time 0 --variant copy --width 4 --elements 64K
    is "without --csv there is a table for people" "$status $(grep -c '^probe,' "$work/out")" "0 0"
    check "the table has a row of copy" grep -q copy "$work/out"
}

test_sweeps() {
    values "--stride takes a list" stride "1 3 7" cpu --variant stride-copy --width 4 --elements 4K --stride 1,3,7
    values "--stride takes a range" stride "2 3 4" cpu --variant stride-copy --width 4 --elements 4K --stride 2:4
    values "--stride takes a range with steps" stride "1 5 9" cpu --variant stride-copy --width 4 --elements 4K --stride 1:9:+4
    values "--stride takes a range of powers" stride "1 2 4 8" cpu --variant stride-copy --width 4 --elements 4K \
        --stride '1:8:*2'
    values "--width takes a list" width_bytes "1 2 4 8 16" cpu --variant copy --elements 4K --width 1,2,4,8,16
    values "--variant takes a list" variant "read write" cpu --variant read,write --elements 4K --width 4 --stride 1
    values "--elements takes M" elements 1048576 cpu --variant copy --elements 1M --width 4
    values "--samples is what is taken" samples 12 cpu --variant copy --elements 4K --width 4 --samples 12
    is "methods for arrays that the caches hold are not tried" "$(grep -c ' method: .*, untried$' "$work/out")" 4
    mkdir -p "$work/sys/devices/system/cpu"
    for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
        cache=$work$cpu/cache/index0 # of 64 KiB
        mkdir -p "$cache"
        echo 1 >"$cache/level"
        echo Unified >"$cache/type"
        echo 64K >"$cache/size"
        echo "${cpu##*cpu}" >"$cache/shared_cpu_list"
    done
    BANKSHOT_SYSFS=$work/sys values "arrays that leave the caches are verified" verified yes cpu --variant copy --elements 64K --width 4
    is "methods for arrays that leave the caches are tried" "$(grep -c 'copy method: .*, the fastest at the start: ' "$work/out")" 1
    is "methods of other operations are not tried" "$(grep -c ' method: .*, untried$' "$work/out")" 3
    values "--cache cold runs" verified yes cpu --variant copy --elements 4K --width 4 --cache cold
    values "--cache warm runs" verified yes cpu --variant copy --elements 4K --width 4 --cache warm
    values "--seed is taken" verified yes cpu --variant copy --elements 4K --width 4 --seed 7
}

# STREAM's triad and a sum, with the misaligned ends that vectors leave over.
test_numbers() {
    values "triad: three streams" useful_bytes "1200012 2400024" cpu --variant triad --width 4,8 --elements 100001
    values "triad, sum: every width, aligned and not" verified "$(yes yes | head -n 12 | tr '\n' ' ' | sed 's/ $//')" cpu \
        --variant triad,sum --elements 100001 --offset 0,1
    values "triad, sum: doubles, then floats in their place" verified "yes yes yes yes yes yes" cpu --variant triad,sum \
        --width 16,8,4 --elements 4K
    values "triad, sum: types" type "float32 float64 float64 float32 float64 float64" cpu --variant triad,sum --elements 4K
    refuses "triad: no number of 2 bytes" 2 "$gmem" --device cpu --variant triad --width 2
    for gpu in h200 mi210; do
        sim_values "triad, sum on sim:$gpu: right" verified "yes yes yes yes yes yes" sim:$gpu --variant triad,sum \
            --elements 20001 --sim-blocks 0
        sim_values "triad, sum on sim:$gpu: right in a sample of the blocks" verified "yes yes" sim:$gpu --variant triad,sum \
            --elements 1M --width 8 --sim-blocks 4
    done
    sim_values "triad: requests of three streams, sum: of one" requests "96 32" sim:h200 --variant triad,sum --width 8 \
        --elements 1K
}

# Bulk copies: whole tiles and the rest of one, through C and PTX; nowhere but on GPUs that have them.
test_bulk() {
    bulk="--variant copy-bulk,read-bulk --elements 20001 --sim-blocks 0"
    # shellcheck disable=SC2086 # a list of options
    for via in c $(! makes_ptx || echo ptx); do
        sim_values "bulk copies on sim:h200 by $via: right" verified "yes yes" sim:h200 $bulk --via $via --offset 1
    done
    sim_values "bulk copies of fewer threads: right" verified "yes yes" sim:h200 --variant copy-bulk,read-bulk --block 32 --elements 333
    sim_values "bulk copies are no requests of warps" requests "" sim:h200 --variant copy-bulk --elements 1K
    for device in cpu sim:a100 sim:mi210; do
        refuses "bulk copies on $device" 3 "$gmem" --device $device --variant copy-bulk
    done
    refuses "bulk copies of 8 bytes" 2 "$gmem" --device sim:h200 --variant copy-bulk --width 8
}

# By index: every width and window, on all devices, whole and in a sample of the blocks.
test_indexed() {
    all="yes yes yes yes yes yes yes yes yes yes yes yes"
    indexed="--variant gather,scatter,gather-scatter --width 1,16 --window 1,4K,0 --elements 100001"
    # shellcheck disable=SC2086 # a list of options
    {
        values "by index on the CPU: right" verified "$all yes yes yes yes yes yes" cpu $indexed
        for gpu in h200 mi210; do
            sim_values "by index on sim:$gpu: right" verified "$all yes yes yes yes yes yes" sim:$gpu $indexed --sim-blocks 0
            sim_values "by index on sim:$gpu: right in a sample of the blocks" verified "$all yes yes yes yes yes yes" \
                sim:$gpu $indexed --sim-blocks 3
        done
    }
    values "by index: useful bytes are the data's alone" useful_bytes "32768 32768 65536" cpu \
        --variant gather,scatter,gather-scatter --window 0 --elements 4K
    values "by index: the footprint has the indices, too" footprint_bytes "49152 49152 98304" cpu \
        --variant gather,scatter,gather-scatter --window 0 --elements 4K
    values "by index: the window's bytes" window_bytes "8 4096 32768 32768" cpu --variant gather --window 1,4K,1M,0 --elements 4K
    values "by index: default windows end at the buffer" window_bytes "64 1024 16384 32768" cpu --variant gather --elements 4K
    # 32 lanes and as many sectors, and 4 for their indices: 36 of two requests; in order 8 and 4.
    sim_values "by index: sectors of data and indices" sectors_per_request "6 18" sim:h200 --variant gather --width 8 \
        --window 1,0 --elements 64M --sim-blocks 4 # so many that no two lanes meet in a sector
    refuses "by index: more than an index holds" 2 "$gmem" --device cpu --variant gather --width 1 --elements 8G
}

# Atomic additions: every target counts what fell to it, and the values before add up.
test_atomics() {
    all="yes yes yes yes yes yes"
    atomics="--variant atomic-add,atomic-add-float,atomic-fetch-add,atomic-fetch-add-float --elements 20001"
    # shellcheck disable=SC2086 # a list of options
    {
        values "atomics on the CPU: right" verified "$all $all $all $all" cpu $atomics
        for gpu in h200 mi210; do
            sim_values "atomics on sim:$gpu: right" verified "$all $all $all $all" sim:$gpu $atomics --sim-blocks 0
            sim_values "atomics on sim:$gpu: right in a sample of the blocks" verified "$all $all $all $all" sim:$gpu \
                $atomics --sim-blocks 2
        done
        values "atomics: types" type "int32 int64 float32 float64 int32 int64 float32 float64" cpu $atomics --window 0
    }
    # shellcheck disable=SC2086 # a list of options
    run "$gmem" --device cpu $atomics --window 0 --min-time 0 --max-time 0.01
    is "atomics: their table is 80 columns wide" "$(grep -c '^cpu ' "$work/out") $(awk 'length > 80 && !/\+/' "$work/out")" "8 "
    values "atomics: windows are powers of two" window_bytes "4 64 128 16384" cpu --variant atomic-add --width 4 \
        --window 1,100,128,0 --elements 4K
    values "atomics: each reads and writes" useful_bytes 32768 cpu --variant atomic-add --width 4 --window 0 --elements 4K
    values "atomics: operations" ops 4096 cpu --variant atomic-add --width 4 --window 0 --elements 4K
    # One a clock of 1980 MHz: 16 Mi on one address take 8473341 ns.
    sim_values "atomics: on one address" verified yes sim:h200 --variant atomic-add --width 4 --window 1 --elements 16M \
        --sim-blocks 2
    [ "$has_sim" -eq 0 ] || check "atomics: those on one address take turns" at_least "$(column predicted_ns "$work/out")" 8473341
    refuses "atomics: more than a float counts" 2 "$gmem" --device cpu --variant atomic-add-float --width 4 --window 4 \
        --elements 17M
    refuses "atomics: no narrow ones" 2 "$gmem" --device cpu --variant atomic-add --width 2
}

# Sectors by the arithmetic of the addresses: 32 lanes and sectors of 32 bytes on the H200, 64 and 64 on the MI210.
test_sectors() {
    sim_values "H200, 4 bytes: sectors per request" sectors_per_request "4 8 16 32 32 32" sim:h200 --variant stride-copy \
        --width 4 --stride 1,2,4,8,16,32
    sim_values "MI210, 4 bytes: sectors per request" sectors_per_request "4 8 16 32 64 64" sim:mi210 --variant stride-copy \
        --width 4 --stride 1,2,4,8,16,32
    sim_values "H200, 8 bytes: sectors per request" sectors_per_request "8 16 32 32 32 32" sim:h200 --variant stride-copy \
        --width 8 --stride 1,2,4,8,16,32
    sim_values "H200: an offset of one element costs a sector" sectors_per_request "4 5" sim:h200 --variant offset --width 4 \
        --offset 0,1 --elements 64K
    sim_values "H200: an offset of a sector costs none" sectors_per_request "4 5 4" sim:h200 --variant offset --width 4 \
        --offset 0,4,8 --elements 64K
    sim_values "H200: a result is right" verified "yes yes yes" sim:h200 --variant stride-copy,read,write --width 4 \
        --stride 3 --elements 4K
    sim_values "H200: rows are predicted" source predicted sim:h200 --variant copy --width 4 --elements 64K
    sim_values "H200: efficiency falls with the stride" load_efficiency_pct "100.00 50.00 25.00 12.50" sim:h200 \
        --variant stride-copy --width 4 --stride 1,2,4,8 --elements 64K
    sim_values "two devices in one run" backend "cpu sim" cpu,sim:h200 --variant copy --width 4 --elements 4K
    sim_values "a width, the CPU and a variant twice" width_bytes "8 4" cpu,cpu --variant copy,copy --width 8,4,8 --elements 4K
    sim_values "one simulated part twice" backend "sim sim" sim:h200,sim:h200 --variant copy --width 4 --elements 4K
    run "$gmem" --device sim:mi100 --via c --variant gather,copy --width 4 --elements 4K --quiet
    is "variants without a check are named below the table" "$(tail -n 2 "$work/out" | xargs)" \
        "sim:mi100 via c: predicted; nine in ten published rows were within 6.1 %; gather: held against no measurement (derived)"
    sim_values "--sim-blocks scales the counts" requests "$(measure sim:h200 --variant copy --width 4 --elements 64K &&
        column requests "$work/out")" sim:h200 --variant copy --width 4 --elements 64K --sim-blocks 8
}

test_verdicts() {
    measure cpu --variant copy --width 8 --elements 1K
    check "a tiny footprint is cache-resident" grep -q 'cache-resident' "$work/out"
    measure cpu --variant copy --width 4 --elements 64K --noise 0.000001
    check "a noise bound that cannot be met says noisy" grep -q 'noisy' "$work/out"
}

test_bad_input() {
    refuses "unknown option" 2 "$gmem" --no-such-option
    refuses "unknown short option" 2 "$gmem" -Z
    refuses "an argument that is no option" 2 "$gmem" copy
    refuses "an option without its value" 2 "$gmem" --device
    refuses "an empty value" 2 "$gmem" --stride ""
    refuses "unknown variant" 2 "$gmem" --device cpu --variant nonsense
    refuses "unknown variant among known ones" 2 "$gmem" --device cpu --variant copy,nonsense
    refuses "unknown backend" 3 "$gmem" --device tpu
    refuses "unknown simulated GPU" 3 "$gmem" --device sim:nonsense
    refuses "unknown device of a list" 3 "$gmem" --device cpu,sim:nonsense
    refuses "sim without a GPU" 2,3 "$gmem" --device sim
    refuses "cpu with a number that is not there" 2,3 "$gmem" --device cpu:99
    refuses "an empty device" 2,3 "$gmem" --device ""
    refuses "stride 0" 2 "$gmem" --device cpu --stride 0
    refuses "stride 0 within a list" 2 "$gmem" --device cpu --stride 1,0
    refuses "negative stride" 2 "$gmem" --device cpu --stride -1
    refuses "stride beyond 64 bits" 2 "$gmem" --device cpu --stride 18446744073709551617
    refuses "stride whose footprint overflows" 2 "$gmem" --device cpu --stride 4611686018427387904
    refuses "stride with a suffix that overflows" 2 "$gmem" --device cpu --stride 99999999999G
    refuses "stride that is not a number" 2 "$gmem" --device cpu --stride two
    refuses "stride with a tail" 2 "$gmem" --device cpu --stride 2x
    refuses "stride list with a hole" 2 "$gmem" --device cpu --stride 1,,2
    refuses "a range that runs backwards" 2 "$gmem" --device cpu --stride 8:1
    refuses "a range with no end" 2 "$gmem" --device cpu --stride 8:
    refuses "a range that never ends: +0" 2 "$gmem" --device cpu --stride 1:8:+0
    refuses "a range that never ends: *1" 2 "$gmem" --device cpu --stride '1:8:*1'
    refuses "a range too long to hold" 2 "$gmem" --device cpu --stride 1:4611686018427387904
    refuses "a width that is no power of two" 2 "$gmem" --device cpu --width 3
    refuses "width 0" 2 "$gmem" --device cpu --width 0
    refuses "width 32" 2 "$gmem" --device cpu --width 32
    refuses "elements 0" 2 "$gmem" --device cpu --elements 0
    refuses "a footprint over the CPU's memory" 2,3 "$gmem" --device cpu --variant copy --width 16 --elements 1024G
    refuses "a footprint over the CPU's memory by its stride" 2,3 "$gmem" --device cpu --variant stride-copy --width 16 \
        --elements 1G --stride 4096
    [ "$has_sim" -eq 0 ] || refuses "a footprint over the H200's memory" 2,3 "$gmem" --device sim:h200 --variant copy \
        --width 16 --elements 1024G
    refuses "an offset too large" 2 "$gmem" --device cpu --variant offset --offset 18446744073709551617
    refuses "--cache with a word it does not know" 2 "$gmem" --device cpu --cache lukewarm
    refuses "--noise that is not a number" 2 "$gmem" --device cpu --noise much
    refuses "negative --max-time" 2 "$gmem" --device cpu --max-time -1
    refuses "--max-time nan" 2 "$gmem" --device cpu --max-time nan
    refuses "--min-time above --max-time" 2 "$gmem" --device cpu --min-time 2 --max-time 1
    refuses "--samples 0" 2 "$gmem" --device cpu --samples 0
    if "$gmem" --list-devices | grep -q '^cuda:'; then
        skip "--device cuda with no driver" "a CUDA device is here"
    else
        refuses "--device cuda with no driver" 3 "$gmem" --device cuda
        refuses "--device cuda:7 with no driver" 3 "$gmem" --device cuda:7
    fi
    if "$gmem" --list-devices | grep -q '^hip:'; then
        skip "--device hip with no driver" "a HIP device is here"
    else
        refuses "--device hip with no driver" 3 "$gmem" --device hip
    fi
}

test_csv_paths() {
    quick="--device cpu --variant copy --width 4 --elements 4K --min-time 0 --max-time 0.02"
    # shellcheck disable=SC2086 # a list of options
    {
        refuses "a CSV in a folder that is missing" 2 "$gmem" $quick --csv "$work/missing/file.csv"
        refuses "a CSV that is a folder" 2 "$gmem" $quick --csv "$work"
        refuses "a CSV with an empty name" 2 "$gmem" $quick --csv ""
        refuses "a CSV beneath a file" 2 "$gmem" $quick --csv "$gmem/file.csv"
    }
    echo "kept" >"$work/kept.csv"
    for options in "--stride 0" "--variant nonsense" "--device sim:nonsense" "--elements 1024G --width 16"; do
        # shellcheck disable=SC2086 # a list of options
        run "$gmem" $quick --csv "$work/kept.csv" $options
        is "an existing CSV stays when the run can't start: $options" "$(cat "$work/kept.csv")" kept
    done
}

test_lists
test_csv
test_sweeps
test_numbers
test_bulk
test_indexed
test_atomics
test_sectors
test_verdicts
test_bad_input
test_csv_paths
finish
