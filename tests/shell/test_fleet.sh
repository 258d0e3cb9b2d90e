#!/bin/sh
# bankshot fleet: nodes are measured by every way to start them, interrupted and continued, and what is not like the rest is named,
# nothing else. No GPU is needed.
# shellcheck disable=SC2154 # work, status: tests/shell/lib.sh
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

built "$BUILD/gmem"
root=$PWD

# fleet ARGUMENT...: its output is in $work/out and $work/err.
fleet() {
    run env BUILD="$BUILD" sh scripts/bankshot.sh fleet "$@"
}

# named: the hosts in the verdict.
named() {
    sed -n 's/^\([^ :]*\)[^:]*: .*/\1/p' "$work/out" | grep '^node' | sort -u | xargs
}

# ---- The verdict, on fleets whose truth is known ----

# make_fleet FOLDER SEED COUNT FAULTS: nodes with one GPU, whose times are normally distributed around the same, 0.5 % wide, in 30 rows. With
# FAULTS node07 is 8 % slower, node09 throttled, node20 of another model, node21 wrong; 22 has no GPU, 23 was interrupted, 24 is not there.
# A fleet that is there already gets new times, because to make hundreds of folders takes longer than to judge them.
make_fleet() {
    if [ ! -d "$1" ]; then
        mkdir -p "$1"
        seq -f 'node%02.0f' 1 "$3" >"$1/hosts"
        sed "s|.*|$1/&/cuda-0|" "$1/hosts" | xargs mkdir -p
        [ -z "$4" ] || {
            rm -r "$1/node22/cuda-0" "$1/node24"
            echo "no GPU is here" >"$1/node22/fault"
        }
    fi
    awk -v seed="$2" -v folder="$1" -v count="$3" -v faults="$4" '
        function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
        BEGIN {
            srand(seed)
            split("read write copy", variants, " ")
            for (node = 1; node <= count; node++) {
                if (faults && (node == 22 || node == 24)) continue
                file = sprintf("%s/node%02d/cuda-0/gmem.csv%s", folder, node, faults && node == 23 ? ".part" : "")
                print "probe,variant,backend,device,source,width_bytes,stride,time_ns_median,bandwidth_gb_s,verified,verdict" > file
                for (i = 1; i <= 3; i++)
                    for (stride = 1; stride <= 512; stride *= 2) {
                        time = 1e6 * i * stride * (1 + 0.005 * normal()) * (faults && node == 7 ? 1.08 : 1)
                        printf "gmem,%s,cuda,%s,measured,16,%d,%.1f,%.1f,%s,%s\n", variants[i], faults && node == 20 ? "NVIDIA L4" : "NVIDIA H200", stride,
                            time, 4e9 / time, faults && node == 21 && i == 2 && stride == 4 ? "no" : "yes",
                            faults && node == 9 && stride == 8 ? "throttled" : "ok" > file
                    }
                close(file)
            }
        }'
}

test_judged() {
    repetitions=10
    ! everything || repetitions=100
    for seed in $(seq "$repetitions"); do
        make_fleet "$work/fleet" "$seed" 64 yes
        fleet --judge "$work/fleet" --hosts "$work/fleet/hosts"
        echo "$status $(named)"
    done | sort | uniq -c >"$work/verdicts"
    check "seven faults of 64 nodes are named, and no other, over $repetitions fleets" at_least \
        "$(awk '$2 == 1 && NF == 9 && $3 " " $4 " " $5 " " $6 " " $7 " " $8 " " $9 == "node07 node09 node20 node21 node22 node23 node24" { n = $1 } END { print n + 0 }' \
            "$work/verdicts")" $((repetitions - 1))
    check "each with its reason" grep -q '^node07 cuda-0: gmem .*: [0-9.]* GB/s, [0-9.]* % below the median of 6[0-9], and [0-9]* more rows$' "$work/out"
    check "throttled" grep -q '^node09 cuda-0: .*: throttled$' "$work/out"
    check "of another model" grep -q '^node20 cuda-0: another model: NVIDIA L4, where most are NVIDIA H200$' "$work/out"
    check "wrong" grep -q '^node21 cuda-0: .*: wrong result$' "$work/out"
    check "without a GPU" grep -q '^node22: no GPU is here$' "$work/out"
    check "interrupted" grep -q '^node23 cuda-0: gmem: interrupted$' "$work/out"
    check "not there" grep -q '^node24: no result' "$work/out"
    fleet --judge "$work/fleet" --hosts "$work/fleet/hosts" --csv "$work/judged.csv" --junit "$work/judged.xml"
    is "CSV: the slow GPU's rows" "$(awk -F, 'NR > 1 { print $1 }' "$work/judged.csv" | sort -u) $(column host "$work/judged.csv" | wc -w)" "node07 30"
    is "JUnit: a case each GPU or node, with its failures" "$(sed -n 's/.*tests="\([0-9]*\)" failures="\([0-9]*\)".*/\1 \2/p' "$work/judged.xml")" "64 7"
    rm -rf "$work/fleet"
    make_fleet "$work/fleet" 1 16 ""
    fleet --judge "$work/fleet" --hosts "$work/fleet/hosts"
    is "a fleet without a fault" "$status $(named) $(head -n 1 "$work/out")" "0  16 GPUs, 480 rows; 0 of them stand out, failed or are missing"
}

# Rows that differ in any column that says what was run, such as the parameters of a copy, are not held against each other.
test_keys() {
    rm -rf "$work/fleet"
    for node in 1 2 3 4 5 6; do
        mkdir -p "$work/fleet/node$node/cuda-0"
        printf '%s\n' probe,variant,device,source,parameters,time_ns_median,verdict "levels,in-flight-bulk,NVIDIA H200,measured,stages=$((node % 2)),$((1000 + \
            node % 2 * 1000)),ok" >"$work/fleet/node$node/cuda-0/levels.csv"
    done
    fleet --judge "$work/fleet"
    is "copies of other parameters are other rows" "$status $(named)" "0 "
    sed -i 's/stages=.,/stages=1,/' "$work"/fleet/*/cuda-0/levels.csv
    sed -i 's/,1000,ok/,2000,ok/' "$work"/fleet/node[46]/cuda-0/levels.csv
    fleet --judge "$work/fleet"
    is "those of the same are not" "$status $(named)" "1 node2"
}

test_reference() {
    rm -rf "$work/fleet" "$work/reference"
    make_fleet "$work/fleet" 3 3 ""
    mkdir "$work/reference"
    cp "$work/fleet/node01/cuda-0/gmem.csv" "$work/reference"
    awk 'BEGIN { FS = OFS = "," } /^gmem/ { $8 *= 1.06; $9 /= 1.06 } { print }' "$work/reference/gmem.csv" >"$work/fleet/node02/cuda-0/gmem.csv"
    fleet --judge "$work/fleet" --against "$work/reference" --threshold 4
    is "three GPUs are judged by a reference" "$status $(named)" "1 node02"
    check "and it is said" grep -q 'node02 cuda-0: .*below the reference' "$work/out"
    fleet --judge "$work/fleet" --against "$work/reference" --threshold 10
    is "with a wider threshold" "$status" 0
    sed -i 's/^gmem,/smem,/' "$work/reference/gmem.csv"
    fleet --judge "$work/fleet" --against "$work/reference"
    is "a reference of other rows" "$status $(grep -c 'no row of it is among these' "$work/err")" "1 1"
}

# A probe fits how long it works to its device, so rates are compared where there are some.
test_figures() {
    rm -rf "$work/fleet"
    for node in 1 2 3 4 5 6; do
        mkdir -p "$work/fleet/node$node/cuda-0"
        printf '%s\n' probe,variant,device,source,latency_ns,bandwidth_gb_s,time_ns_median "levels,bandwidth,NVIDIA H200,measured,,3000,${node}000" \
            "levels,latency,NVIDIA H200,measured,$((500 + (node == 3) * 50)),,${node}000" >"$work/fleet/node$node/cuda-0/levels.csv"
    done
    fleet --judge "$work/fleet"
    is "rates and latencies, not times" "$status $(grep '^node' "$work/out")" "1 node3 cuda-0: levels latency: 550 ns, 10.0 % above the median of 6"
}

# A GPU beside its neighbours, and beside itself.
test_neighbours() {
    rm -rf "$work/fleet" "$work/before"
    for node in 1 2 3; do
        for gpu in 0 1 2 3; do
            mkdir -p "$work/fleet/node$node/cuda-$gpu"
            awk -v time=$((1000 + node + gpu + (node == 2 && gpu == 1) * 100)) 'BEGIN {
                print "probe,variant,device,source,stride,time_ns_median,verdict"
                for (stride = 1; stride <= 8; stride++) print "gmem,copy,NVIDIA H200,measured," stride "," time * stride ",ok"
            }' >"$work/fleet/node$node/cuda-$gpu/gmem.csv"
        done
    done
    fleet --judge "$work/fleet"
    is "a GPU beside its neighbours" "$status $(grep -c '^node2 cuda-1: .* above the median of 12, where its 3 neighbours take [-+]0.[0-9] %, and 7 more rows$' "$work/out") $(named)" "1 1 node2"
    cp -r "$work/fleet" "$work/before"
    awk 'BEGIN { FS = OFS = "," } /^gmem/ { $6 *= 0.93 } { print }' "$work/fleet/node3/cuda-2/gmem.csv" >"$work/before/node3/cuda-2/gmem.csv"
    rm -r "$work/before/node1/cuda-3"
    fleet --judge "$work/fleet" --since "$work/before" --threshold 12
    is "a change below the threshold" "$status $(named)" "0 "
    fleet --judge "$work/fleet" --since "$work/before" --threshold 6 --csv "$work/judged.csv"
    is "a GPU beside itself" "$(grep -c '^node3 cuda-2: .* above itself in .*, where all GPUs changed by +0.0 %' "$work/out") $(grep -c ^node3 "$work/judged.csv")" "1 8"
    refuses "an earlier fleet that is not there" 2 env BUILD="$BUILD" sh scripts/bankshot.sh fleet --judge "$work/fleet" --since "$work/nowhere"
    mkdir -p "$work/other/nodeX/cuda-0"
    refuses "an earlier fleet of other GPUs" 1 env BUILD="$BUILD" sh scripts/bankshot.sh fleet --judge "$work/before" --since "$work/other" --threshold 20
    printf 'probe,variant,time_ns_median\ngmem,copy\n' >"$work/fleet/node1/cuda-0/torn.csv"
    echo 'no,rows' >"$work/fleet/node1/cuda-1/other.csv"
    fleet --judge "$work/fleet" --threshold 20
    is "files that cannot be read are their GPUs' faults" "$status $(grep -c '^node1 cuda-0: .*torn.csv:2: the row has 2 fields, and the header 3\|^node1 cuda-1: .*other.csv: it has no rows' "$work/out")" "1 2"
    refuses "a CSV file that cannot be written" 2 env BUILD="$BUILD" sh scripts/bankshot.sh fleet --judge "$work/fleet" --csv "$work/nowhere/x.csv"
}

test_page() {
    rm -rf "$work/fleet"
    make_fleet "$work/fleet" 5 64 yes
    fleet --judge "$work/fleet" --page "$work/fleet.html"
    is "a page for a browser" "$status $(grep -c '^</html>' "$work/fleet.html") $(grep -c '{{' "$work/fleet.html")" "1 1 0"
    everything || return 0
    if ! command -v node >"$work/null" || ! command -v chromium >"$work/null"; then
        skip "the page in a browser" "node or chromium is not here"
        return
    fi
    mkdir -p "$BUILD/tests/fleet"
    timeout 300 node tests/browser/fleet_page.js "$work/fleet.html" "$BUILD/tests/fleet" >"$work/checks"
    cat "$work/checks"
    failures=$((failures + $(grep -c ^FAIL "$work/checks")))
    check "the browser's checks of the fleet's page were all made" grep -q '^end$' "$work/checks"
}

# What DuckDB finds in a fleet, and judge in many more rows than it keeps in memory.
test_size() {
    rm -rf "$work/fleet"
    make_fleet "$work/fleet" 5 64 yes
    fleet --judge "$work/fleet" --csv "$work/judged.csv"
    if python3 -c 'import duckdb' 2>"$work/null"; then
        run python3 scripts/fleet_duckdb.py --keys "$("$BUILD/gmem" --explain keys)" --parquet "$work/fleet.parquet" "$work/fleet"
        is "DuckDB finds the same rows" "$status $(cut -d , -f 1-2,4-5 "$work/out" | sort | cksum) $([ -s "$work/fleet.parquet" ] && echo Parquet)" \
            "0 $(cut -d , -f 1-2,4-5 "$work/judged.csv" | sort | cksum) Parquet"
    else
        skip "DuckDB finds the same rows" "python3 has no duckdb"
    fi
    everything || return 0
    rm -rf "$work/fleet"
    mkdir -p "$work/fleet/first/cuda-0"
    awk 'BEGIN { print "probe,variant,device,time_ns_median"; for (i = 0; i < 3000; i++) print "gmem,v" i ",H,1000" }' >"$work/fleet/first/cuda-0/gmem.csv"
    for number in $(seq 1000); do
        mkdir -p "$work/fleet/n$number/cuda-0"
        ln "$work/fleet/first/cuda-0/gmem.csv" "$work/fleet/n$number/cuda-0/gmem.csv"
    done
    run sh -c 'ulimit -v 160000; "$1" "$2"' sh "$BUILD/judge" "$work/fleet"
    is "3 million rows, 72 MB of times, in less memory" "$status $(head -n 1 "$work/out")" "0 1001 GPUs, 3003000 rows; 0 of them stand out, failed or are missing"
}

# ---- Nodes ----

echo 'copy gmem --variant copy --width 16 --elements 64K --samples 3' >"$work/runs"

# on_node HOST ARGUMENT...: a node with GPUs of the fake driver.
on_node() {
    node=$1
    shift
    run_with_fakes BUILD="$BUILD" FAKE_DEVICES=2 FAKE_MEMORY_MB=64 BANKSHOT_HOST="$node" sh scripts/bankshot.sh fleet --node --runs "$work/runs" "$@"
}

# interrupt: as a keyboard does it, which signals all processes of a group. Its GPUs would take a minute each.
interrupt() {
    # shellcheck disable=SC2016 # the inner shell's
    run_with_fakes BUILD="$BUILD" FAKE_DEVICES=2 FAKE_MEMORY_MB=64 BANKSHOT_HOST=six WORK="$work" setsid sh -c '
        sh scripts/bankshot.sh fleet --node --runs "$WORK/runs" "$WORK/nodes" &
        for _ in $(seq 300); do
            [ "$(ls "$WORK"/nodes/six/*/copy.csv.part 2>"$WORK/null" | wc -l)" -lt 4 ] || break
            sleep 0.1
        done
        ls "$WORK"/nodes/six/*/copy.csv.part | wc -l >"$WORK/begun"
        trap "" TERM
        kill -TERM 0
        wait'
    for _ in $(seq 150); do # a program that was interrupted writes its rows before it ends
        pgrep -f "$work/nodes/six" >"$work/null" || break
        sleep 0.1
    done
    is "all GPUs of a node are measured at the same time" "$(tr -d ' ' <"$work/begun")" 4
    is "an interruption leaves no program behind, and no GPU that has finished" \
        "$(pgrep -f "$work/nodes/six" | wc -l | tr -d ' ') $(ls "$work"/nodes/six/*/done 2>"$work/null")" "0 "
    rm -r "$work/nodes/six"
}

test_nodes() {
    has_fake cuda || return
    has_fake hip || return
    link_fakes "$work/lib"
    on_node one "$work/nodes"
    is "a node's GPUs" "$status $(cd "$work/nodes" && echo one/*/copy.csv)" "0 one/cuda-0/copy.csv one/cuda-1/copy.csv one/hip-0/copy.csv one/hip-1/copy.csv"
    rm -r "$work/nodes/one/cuda-1"
    before=$(cksum <"$work/nodes/one/cuda-0/copy.csv")
    on_node one "$work/nodes"
    is "a node that goes on measures only what is missing" "$status $(cksum <"$work/nodes/one/cuda-0/copy.csv") $([ -s "$work/nodes/one/cuda-1/copy.csv" ] && echo there)" \
        "0 $before there"
    run env BUILD="$BUILD" BANKSHOT_HOST=two sh scripts/bankshot.sh fleet --health --node "$work/nodes"
    is "a node without a GPU" "$status $(grep -c 'no GPU is here' "$work/nodes/two/fault")" "1 1"
    FAKE_KERNEL=stride_copy FAKE_FAIL=launch:1 on_node three "$work/nodes"
    full_disk() { (trap '' XFSZ && ulimit -f 1 && on_node five "$work/nodes"; echo "$status" >"$work/status"); }
    full_disk
    is "a full disk" "$(cat "$work/status") $(grep -c '^copy: status 1: ' "$work/nodes/five/cuda-0/fault") $(ls "$work/nodes/five/cuda-0/copy.csv" 2>"$work/null")" "1 1 "
    rm -r "$work/nodes/five"
    is "a GPU that fails" "$status $(grep -c '^copy: status 1: ' "$work/nodes/three/cuda-0/fault")" "1 1"
    echo 'copy gmem --variant copy --width 16 --elements 64K --min-time 60 --max-time 60' >"$work/runs"
    for limit in 1 2 4; do # on a busy machine even the list of devices takes longer than a second
        on_node four --limit "$limit" "$work/nodes"
        [ ! -e "$work/nodes/four/cuda-0/fault" ] || break
        rm -r "$work/nodes/four"
    done
    is "a GPU that hangs" "$status $(grep -c "^copy: it did not end within $limit s" "$work/nodes/four/cuda-0/fault")" "1 1"
    interrupt
    echo 'copy gmem --variant copy --width 16 --elements 64K --samples 3' >"$work/runs"
    fleet --judge "$work/nodes"
    is "all of them are named" "$status $(grep -oE '^(two|three|four)[ :]' "$work/out" | tr -d ' :' | sort -u | xargs)" "1 four three two"
    rm -r "$work/nodes/two" "$work/nodes/three" "$work/nodes/four"
    on_node four "$work/nodes"
    is "and measured again" "$status" 0
}

# Every way to start a program on many machines.
test_launchers() {
    [ -e "$work/lib" ] || return 0
    export FAKE_DEVICES=1 FAKE_MEMORY_MB=64 CUDA_HOME="$work" BUILD
    run env LD_LIBRARY_PATH="$work/lib" sh scripts/bankshot.sh fleet --hosts a,b,c --by 'env BANKSHOT_HOST=% sh -c' --runs "$work/runs" "$work/list of nodes"
    is "by a list" "$(cd "$work/list of nodes" && echo */cuda-0/copy.csv)" "a/cuda-0/copy.csv b/cuda-0/copy.csv c/cuda-0/copy.csv"
    run env LD_LIBRARY_PATH="$work/lib" sh scripts/bankshot.sh fleet --hosts a,b,away --by 'env BANKSHOT_HOST=% false' --runs "$work/runs" "$work/away"
    is "a host that cannot be reached" "$status $(grep -c '^away: no result' "$work/out")" "1 1"
    cat >"$work/srun" <<'END'
#!/bin/sh
# As Slurm starts a task on each node: srun COUNT COMMAND...
count=$1
shift
for id in $(seq 0 $((count - 1))); do SLURM_PROCID=$id BANKSHOT_HOST=slurm$id "$@" & done
wait
END
    run env LD_LIBRARY_PATH="$work/lib" sh "$work/srun" 3 sh scripts/bankshot.sh fleet --node --runs "$work/runs" "$work/slurm"
    is "by srun" "$(cd "$work/slurm" && echo */cuda-0/copy.csv)" "slurm0/cuda-0/copy.csv slurm1/cuda-0/copy.csv slurm2/cuda-0/copy.csv"
    if can_start_ranks; then
        # shellcheck disable=SC2016 # the rank's own variable
        run env LD_LIBRARY_PATH="$work/lib" "$mpirun" -n 2 sh -c \
            'BANKSHOT_HOST=rank${OMPI_COMM_WORLD_RANK:-$PMI_RANK} exec sh scripts/bankshot.sh fleet --node --runs "$1" "$2"' sh "$work/runs" "$work/mpi"
        is "by mpirun" "$(cd "$work/mpi" && echo */cuda-0/copy.csv)" "rank0/cuda-0/copy.csv rank1/cuda-0/copy.csv"
    else
        skip "by mpirun" "$mpirun cannot start a program here"
    fi
    unset FAKE_DEVICES FAKE_MEMORY_MB CUDA_HOME
}

test_refusals() {
    printf '%s\r\n' node01 >"$work/dos"
    mkdir -p "$work/no rows" "$work/named/node01/cuda-0"
    cp results/h200/gmem.csv "$work/named/node01/cuda-0/"
    refuses "a folder without rows" 2 "$BUILD/judge" "$work/no rows"
    refuses "a folder named twice" 2 "$BUILD/judge" "$work/named" "$work/named/."
    refuses "hosts in a file that is not there" 2 "$BUILD/judge" "$work/named" --hosts "$work/nowhere/hosts"
    refuses "no hosts" 2 "$BUILD/judge" "$work/named" --hosts ''
    run "$BUILD/judge" "$work/named" --hosts "$work/dos"
    is "a list of hosts with carriage returns" "$status $(grep -c 'no result' "$work/out")" "0 0"
    for options in "--hosts $work/nowhere x" "" "--node" "--judge" "x" "--node --judge x" "--node a b" "--health --judge x" "--health --runs x --node y" "--health" "--hosts" "--hosts a" "--limit 0 --node x" "--parallel 1.5 --hosts a x" "--limit x --node x" "--unknown x" \
        "--judge $work/nowhere" "--judge $root --against $work/nowhere" "--node --runs $work/nowhere x" "--hosts $work/empty $work/x"; do
        : >"$work/empty"
        # shellcheck disable=SC2086 # a list of options
        refuses "fleet $(echo "$options" | sed "s|$work|WORK|g; s|$root|ROOT|g")" 2 env BUILD="$BUILD" sh scripts/bankshot.sh fleet $options
    done
    echo 'no program!' >"$work/bad"
    refuses "a run without a program" 2 env BUILD="$BUILD" sh scripts/bankshot.sh fleet --node --runs "$work/bad" "$work/x"
    fleet --help
    is "--help: at most 80 columns" "$status $(awk 'length > 80' "$work/out")" "0 "
}

test_judged
test_keys
test_reference
test_figures
test_neighbours
test_page
test_size
test_nodes
test_launchers
test_refusals
finish
