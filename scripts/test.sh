#!/bin/sh
# Installs what is missing, builds with warnings as errors, and runs every test. What cannot run here is skipped and named.
#   sh scripts/test.sh           everything, in seven minutes on four cores and twelve on two
# Logs are in build/tests/logs. The last line is the count; the exit status is non-zero if anything failed.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/lib.sh

logs=$BUILD/tests/logs
sanitized=$BUILD/sanitize
rm -rf "$logs"
mkdir -p "$logs" || exit 1

# build NAME ARGUMENT...: builds with make and without warnings; counts as a test that passes if make does.
build() {
    name=build-$1 started=$(date +%s)
    shift
    if timeout -k 10 300 make -j"$(processors)" WERROR=-Werror "$@" >"$logs/$name.log" 2>&1 </dev/null; then
        echo "ok $name" >"$logs/$name.results"
        echo "ok   $name in $(($(date +%s) - started)) s"
    else
        echo "FAIL $name (status $?)" | tee "$logs/$name.results"
        tail -n 25 "$logs/$name.log" | sed 's/^/    /'
        return 1
    fi
}

# leave_out NAME WHY
leave_out() {
    echo "SKIP $1: $2" | tee "$logs/$1.results"
}

# What to run, one per line: NAME SECONDS COMMAND...
groups() {
    for test in "$BUILD"/tests/test_*; do
        [ ! -x "$test" ] || echo "$(basename "$test") 120 $test"
    done
    for test in tests/programs/test_*.sh; do
        [ ! -e "$test" ] || echo "$(basename "$test") 1200 sh $test"
    done
    # Once more with the sanitizers: the unit tests, the programs' command line, sums on every device, and a kernel's counts.
    for test in "$sanitized"/tests/test_*; do
        [ ! -x "$test" ] || echo "sanitized-$(basename "$test") 300 $test"
    done
    [ -x "$sanitized/gmem" ] || return 0
    echo "sanitized-test_cli.sh 300 env BUILD=$sanitized sh tests/programs/test_cli.sh"
    echo "sanitized-test_reduce.sh 300 env BUILD=$sanitized sh tests/programs/test_reduce.sh results"
    echo "sanitized-test_lanes_kernels.sh 300 env BUILD=$sanitized sh tests/programs/test_lanes_kernels.sh outputs"
}

# The tests that take long begin first, so that none of them runs alone at the end.
longest_first() {
    awk '{
        print /test_(apsp_gpu|apsp_mpi|kernels)[.]/ ? 0 : /test_(builds|docs|examples|levels|links|reduce|smem)[.]/ ? 1 : \
            /test_(apsp|cli|counters|faults|lanes_kernels|offline|plots|predict|ptx|report|scripts|sources|threads)[.]/ || \
            /sanitized-test_(footprint|sim_)/ ? 2 : 3, $0
    }' |
        sort -s -k 1,1 | cut -d ' ' -f 2-
}

# run_groups N: runs the groups on standard input, N at a time.
run_groups() {
    xargs -P "$1" -L 1 sh scripts/test_group.sh
}

# Reports each group that left no results.
find_lost() {
    groups | while read -r name _; do
        [ -s "$logs/$name.results" ] || echo "FAIL $name: left no result" | tee "$logs/$name.results"
    done
}

# Prints what was skipped, and the count.
finish() {
    echo
    cat "$logs"/*.results | awk '
        /^SKIP/ { print }
        { n[$1]++ }
        END { printf "%d passed, %d failed, %d skipped\n", n["ok"], n["FAIL"], n["SKIP"]; exit n["FAIL"] > 0 }'
    exit
}

sh scripts/setup.sh --tests || {
    echo "FAIL setup" | tee "$logs/setup.results"
    finish
}
wheels=$PWD/build/wheels
export PATH="$PATH:$wheels/nvidia/cu13/bin"
export PYTHONPATH="$wheels${PYTHONPATH:+:$PYTHONPATH}"
[ ! -e "$wheels/nvidia/cu13/include/nvrtc.h" ] || export CUDA_HOME="$wheels/nvidia/cu13"

# Tests share what the simulator compiles, except those of compiling.
BANKSHOT_KERNEL_CACHE=$(cd "$BUILD/tests" && pwd)/kernels
export BANKSHOT_KERNEL_CACHE
rm -rf "$BANKSHOT_KERNEL_CACHE"
mkdir -m 700 "$BANKSHOT_KERNEL_CACHE"
# If the machine is busy, threads that spin while they wait delay each other.
export OMP_WAIT_POLICY=passive
unit_tests=unit-tests
has_header cmocka.h || {
    unit_tests=
    leave_out unit-tests "cmocka is not here"
}
build usual all $unit_tests || finish
if links_with -fsanitize=address,undefined,leak; then
    # Of the programs only those that run with the sanitizers.
    build sanitized BUILD="$sanitized" SANITIZE=address,undefined,leak CFLAGS='-O1 -g1' "$sanitized"/gmem "$sanitized"/lanes \
        "$sanitized"/reduce $unit_tests
else
    leave_out sanitized "the compiler has no sanitizers here"
fi
# Tests that measure run alone.
alone='test_gpu_real\|test_budget'
# Two more groups than there are processors, because a group waits at times: for a budget's end, for MPI to notice a lost rank.
# They keep the processors busy, so the simulator starts no workers in them but where a test asks for some.
groups | grep -v "$alone" | longest_first | {
    export BANKSHOT_SIM_THREADS=1
    run_groups $(($(processors) + 2))
}
groups | grep "$alone" | run_groups 1
find_lost
finish
