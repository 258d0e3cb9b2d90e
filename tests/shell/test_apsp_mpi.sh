#!/bin/sh
# apsp-mpi: its result has the same bytes as apsp's with any number of ranks, on the CPU and on simulated GPUs; and whatever ends
# a run ends all ranks, with one message.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
. tests/shell/apsp_lib.sh
awk -f scripts/scale.awk >"$work/model"
# The table in docs/scale.md is the model's, line by line.
check "the model's table stands in docs/scale.md" \
    awk 'NR == FNR { shown[$0]; next } !("    " $0 in shown) { wrong = 1; print } END { exit wrong || NR == FNR }' \
    docs/scale.md "$work/model"
program=$BUILD/apsp-mpi
if [ ! -x "$program" ] || ! command -v "${MPIRUN:-mpirun}" >/dev/null; then
    skip apsp-mpi "there is no MPI here: install libopenmpi-dev and openmpi-bin"
    finish
fi
export OMPI_MCA_mpi_yield_when_idle=1 # other tests run at the same time
# Ignores what MPI's own libraries leak if the program is built with sanitizers.
export LSAN_OPTIONS=suppressions=tests/shell/mpi.supp:print_suppressions=0 ASAN_OPTIONS=fast_unwind_on_malloc=0

if ! can_start_ranks; then
    skip apsp-mpi "$mpirun cannot start a program here"
    finish
fi

# ranks N OPTION...: runs apsp-mpi with N ranks.
ranks() {
    count=$1
    shift
    run "$mpirun" -n "$count" "$program" --quiet "$@"
}

# reference OPTION...: apsp's own distances of this graph, in $work/expected.
reference() {
    solve cpu cpu-tiled "$@"
    mv "$work/cpu-tiled" "$work/expected"
}

# gives NAME N OPTION...: N ranks must give the bytes of the reference.
gives() {
    label=$1
    shift
    rm -f "$work/found"
    ranks "$@" --samples 1 --output "$work/found"
    if [ "$status" -ne 0 ]; then
        fail "$label" "status $status" "$(head -n 3 "$work/err")"
    else
        check "$label" cmp "$work/expected" "$work/found"
    fi
}

test_bytes() {
    reference --vertices 1500
    for count in 1 2 3 4 6; do
        gives "1500 vertices on $count ranks" "$count" -n 1500 -t 96
    done
    for vertices in 1 2 31 65 200; do
        reference --vertices "$vertices"
        gives "$vertices vertices on 5 ranks" 5 --vertices "$vertices" --tile 96
    done
    reference --vertices 300 --edges 100
    gives "a disconnected graph" 3 --vertices 300 --edges 100
    reference --vertices 200 --edges 39800 --max-weight 1
    gives "a complete graph, weights 0 among them" 4 --vertices 200 --edges 39800 --max-weight 1 --tile 96
    reference --vertices 200 --max-weight 2147483647
    gives "weights up to the limit" 2 --vertices 200 --max-weight 2147483647 --tile 96
}

test_gpus() {
    if ! "$program" --list-gpus >/dev/null 2>&1 || ! "$program" --list-devices | grep -q '^sim'; then
        skip "on simulated GPUs" "the simulator is left out of this build"
        return
    fi
    reference --vertices 300
    gives "on simulated GPUs, two kinds of them by turns" 2 --device sim:h200,sim:mi210 --vertices 300
    gives "blocks of 256 on three of them" 3 --device sim:h200 --vertices 300 --tile 256
    gives "blocks of 256, of which only one kind of GPU makes wide panels" 2 --device sim:h200,sim:mi210 --vertices 300 --tile 256
    is "the table of simulated GPUs is 80 columns wide" "$(awk 'length > 80' "$work/out")" ""
    ranks 1 --device cpu --vertices 20 --samples 1
    is "a short device's name is as wide as its heading" "$(awk '{ print index($0, NR == 1 ? "variant" : "cpu-tiled") }' "$work/out" | sort -u)" 8
    ranks 2 --device sim:h200,cpu --vertices 20
    ends "a CPU among GPUs" 2 'name one kind'
}

# panels_by NAME PATTERN: the head of the last run that gave bytes must say so.
panels_by() {
    check "$1" grep -q "^# panels by: $2" "$work/csv"
}

# The CUDA and HIP backends on drivers that run kernels on the host. A stream's work is done as late as possible, and with four
# ranks some send nothing in a round.
test_drivers() {
    link_fakes "$work/lib"
    reference --vertices 600
    libraries=${LD_LIBRARY_PATH:-}
    export LD_LIBRARY_PATH="$work/lib:$libraries" CUDA_HOME="$work" ROCM_PATH="$work" FAKE_MEMORY_MB=128 FAKE_ORDER=lazy \
        FAKE_DEVICES=4 TMPDIR="$work"
    for backend in cuda hip; do
        has_fake "$backend" || continue
        case $backend in cuda) library=NCCL ;; *) library=RCCL ;; esac
        gives "$backend: panels from GPU to GPU, beside the rest of a round" 4 --device "$backend" --vertices 600 --csv "$work/csv"
        panels_by "$backend: the head says so" "$library 2.28.9, "
        gives "$backend: blocks of 256" 4 --device "$backend" --vertices 600 --tile 256
        export FAKE_KERNEL=product FAKE_FAIL=launch:2
        ranks 2 --device "$backend:0,$backend:1" --vertices 300 --samples 1
        unset FAKE_KERNEL FAKE_FAIL
        ends "$backend: a device that is lost in mid-run" 1 "$backend:[01]: .*fake fault"
    done
    ! has_fake cuda || test_nccl
    LD_LIBRARY_PATH=$libraries
    unset CUDA_HOME ROCM_PATH FAKE_MEMORY_MB FAKE_ORDER FAKE_DEVICES TMPDIR
}

# Only the last rank gets the setting.
in_last_rank() {
    printf '#!/bin/sh\n[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 2 ] || export %s\nexec "$@"\n' "$1" >"$work/last"
    chmod +x "$work/last"
}

# A rank dies while the others are in its broadcast.
test_lost_sender() {
    in_last_rank FAKE_FAIL=kill:4
    run timeout 60 "$mpirun" -n 3 "$work/last" "$program" --quiet --device cuda --vertices 600 --samples 1000
    killed=$(find "$work" -name 'killed*' | head -n 1)
    is "a rank that dies in a broadcast ends the run" "$([ "$status" -ne 0 ] && [ -n "$killed" ] && echo ended)" ended
    check "within 10 s, in a broadcast" [ $(($(date +%s) - $(date -r "${killed:-/}" +%s))) -le 10 ]
    is "one message, in a broadcast" "$(grep -ci '^apsp-mpi: \|signal 9\|signal: killed\|BAD TERMINATION' "$work/err")" 1
}

# What NCCL's faults do; RCCL has the same code.
test_nccl() {
    FAKE_NCCL_VERSION=2304 gives "an old NCCL: panels through the host" 2 --device cuda --vertices 600 --csv "$work/csv"
    panels_by "an old NCCL: the head says why" "pinned memory of the host, in pieces (.* is NCCL 2.3.4: install version 2.4"
    # Only the last rank meets the fault. The GPUs of the others wait for its data.
    in_last_rank FAKE_FAIL=remote:6
    run "$mpirun" -n 3 "$work/last" "$program" --quiet --device cuda --vertices 600 --samples 1
    ends "a broadcast that fails in mid-run" 1 "cuda:2: a broadcast by NCCL failed with 'remote error'"
    # Until they hear of it, the others are in a call that returns only when all ranks have joined.
    in_last_rank FAKE_FAIL=join:1
    for way in nccl auto; do
        run timeout 60 "$mpirun" -n 3 "$work/last" "$program" --quiet --device cuda --vertices 600 --samples 1 --exchange $way \
            --csv "$work/csv"
        case $way in
        nccl) ends "a rank that cannot join" 1 "cuda:2: connecting the ranks by NCCL failed" ;;
        auto)
            is "a rank that cannot join: another way" "$status $(column verified "$work/csv" | tr ' ' '\n' | sort -u | xargs)" "0 yes"
            panels_by "a rank that cannot join: the head says why" "pinned memory of the host, in pieces (cuda:2: connecting the ranks"
            ;;
        esac
    done
    test_lost_rank --device cuda --vertices 300
    test_lost_sender
    rm "$work/lib/librccl.so.1"
    ranks 1 --device hip --vertices 100 --exchange nccl
    if [ "$status" -eq 1 ]; then
        skip "no RCCL" "this machine has one"
    else
        ends "no RCCL" 3 "RCCL (librccl.so.1) was not found: install RCCL"
    fi
}

test_files() {
    "$apsp" --device cpu --variant cpu-tiled --samples 1 --vertices 500 --quiet --save-graph "$work/graph" --csv /dev/null
    reference --graph "$work/graph"
    gives "a binary graph, read by all ranks" 3 --graph "$work/graph" --tile 96
    ranks 4 --vertices 500 --samples 1 --save-graph "$work/saved"
    check "a graph that is saved by all ranks" cmp "$work/graph" "$work/saved"
    reference --graph tests/data/graphs/dimacs.gr
    gives "a DIMACS graph" 2 --graph tests/data/graphs/dimacs.gr
    reference --graph tests/data/graphs/integer.mtx
    gives "a Matrix Market graph" 3 --graph tests/data/graphs/integer.mtx
}

test_rows() {
    ranks 4 --graph "$work/graph" --tile 96 --samples 2 --csv "$work/csv" --output "$work/found"
    is "its rows" "$(column kernel "$work/csv")" "read init exchange phase1 phase2 phase3 check all write"
    is "they tell the ranks" "$(column devices "$work/csv" | tr ' ' '\n' | uniq)" 4
    is "and their grid" "$(column grid "$work/csv" | tr ' ' '\n' | uniq)" 2x2
    check "the whole is verified" grep -q ',cpu-tiled,.*,all,.*,yes,' "$work/csv"
    check "the head tells of MPI" grep -q '^# MPI: ' "$work/csv"
    ranks 2 --vertices 50 --unchecked --csv "$work/csv"
    check "what was not checked says so" grep -q 'unverified$' "$work/csv"
}

# ends NAME STATUS PATTERN: the last run must have ended with this status and one line of the program, which matches the pattern.
ends() {
    is "$1: the status" "$status" "$2"
    is "$1: one message" "$(grep -c '^apsp-mpi: ' "$work/err")" 1
    check "$1: it says why" grep -q "^apsp-mpi: .*$3" "$work/err"
}

test_refusals() {
    ranks 3 --graph "$work/missing"
    ends "a file that is not there" 2 'No such file'
    # The last of 4000 edges, which the last rank reads, names a vertex that does not exist.
    head -c 47996 "$work/graph" >"$work/bad"
    printf '\377\377\377\177\0\0\0\0\0\0\0\0' >>"$work/bad"
    ranks 3 --graph "$work/bad" --output "$work/never"
    ends "a bad edge" 2 'byte 47996: edge 3999 names vertex 2147483647'
    head -c 47999 "$work/graph" >"$work/short"
    ranks 2 --graph "$work/short"
    ends "a short file" 2 'byte 47999'
    ranks 2 --tile 100
    ends "a tile that does not fit" 2 'multiple of 96'
    ranks 2 --device cpu:nope
    ends "no such device" 3 'cpu'
    ranks 2 --vertices 1000000
    ends "more vertices than memory" 2 'use more nodes'
    ranks 3 --vertices 100 --samples 1 --output "$work/missing/file"
    ends "an output that cannot be" 2 'mkdir -p'
    ranks 2 --graph "$work/graph" --save-graph "$work/./graph"
    ends "an input for an output" 2 'same file'
    check "nothing is left of what was not written" [ ! -e "$work/never" ]
}

test_full_disk() {
    ranks 3 --vertices 200 --tile 96 --samples 1 --output /dev/full
    ends "a full disk" 1 'No space left'
    mkdir "$work/disk"
    if ! mount -t tmpfs -o size=256k none "$work/disk" 2>/dev/null; then
        skip "a disk that fills up" "mounting a small one needs root"
        return
    fi
    ranks 3 --vertices 500 --tile 96 --samples 1 --output "$work/disk/distances"
    ends "a disk that fills up" 1 'No space left'
    is "it is left as it was" "$(ls "$work/disk")" ""
    umount "$work/disk"
}

# Finds the processes of the run without ps and pgrep, which are not installed everywhere.
ranks_of() {
    for process in /proc/[0-9]*; do
        case $(tr '\0' ' ' 2>/dev/null <"$process/cmdline") in
        "$program "*"--csv $work/lost"*) echo "${process#/proc/}" ;;
        esac
    done 2>/dev/null
}

# test_lost_rank OPTION...: the others would wait for it.
test_lost_rank() {
    rm -f "$work/lost"
    timeout 60 "$mpirun" -n 3 "$program" "$@" --samples 1000 --csv "$work/lost" --quiet >/dev/null 2>"$work/err" &
    launcher=$!
    tries=0
    while [ ! -e "$work/lost" ] && [ $((tries += 1)) -lt 100 ]; do sleep 0.1; done
    is "all ranks are there" "$(ranks_of | wc -l | tr -d ' ')" 3
    kill -9 "$(ranks_of | tail -n 1)"
    killed=$(date +%s)
    wait "$launcher"
    status=$?
    check "a rank that dies ends the run" [ "$status" -ne 0 ]
    check "within 10 s" [ $(($(date +%s) - killed)) -le 10 ]
    is "no rank is left" "$(ranks_of)" ""
    is "one message" "$(grep -ci '^apsp-mpi: \|signal 9\|signal: killed\|BAD TERMINATION' "$work/err")" 1
}

test_bytes
test_gpus
test_drivers
test_files
test_rows
test_refusals
test_full_disk
test_lost_rank --vertices 2000
finish
