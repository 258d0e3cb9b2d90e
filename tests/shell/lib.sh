# What the shell tests share: sourced as `. tests/shell/lib.sh`, in the repository's root. A test prints a line for each check,
# `ok NAME`, `FAIL NAME` (and why, on standard error) or `SKIP NAME: why`; scripts/test.sh counts them.
# shellcheck shell=sh
set -u

. scripts/lib.sh
export LC_ALL=C # where a test computes with awk, and sorts; test_scripts.sh tries another language
export PYTHONDONTWRITEBYTECODE=1 # the tree stays clean
export OMP_WAIT_POLICY=passive # a barrier that spins takes a hundred times as long if other programs run at the same time
work=$(mktemp -d "${TMPDIR:-/tmp}/bankshot-test.XXXXXX")
trap 'chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failures=0

# everything: whether the whole test is to run; scripts/test.sh without --all leaves out what takes long or needs more tools.
everything() {
    [ "${TEST_SIZE:-all}" = all ]
}

ok() {
    echo "ok $1"
}

# fail NAME [WHY...]
fail() {
    echo "FAIL $1"
    shift
    [ $# -eq 0 ] || printf '    %s\n' "$@" >&2
    failures=$((failures + 1))
}

skip() {
    echo "SKIP $1: $2"
}

# is NAME FOUND EXPECTED
is() {
    if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "found:    $2" "expected: $3"; fi
}

# has NAME FOUND WORD...: each word must be one of those found, between which there may be others.
has() {
    label=$1 found=$2 lacking=
    shift 2
    for word; do
        case " $found " in *" $word "*) ;; *) lacking="$lacking $word" ;; esac
    done
    is "$label" "$found: lacking:$lacking" "$found: lacking:"
}

# within FOLDER COMMAND...: runs the command there.
within() (
    cd "$1" && shift && "$@"
)

# check NAME COMMAND...: the command must succeed.
check() {
    label=$1
    shift
    if "$@" >"$work/check" 2>&1; then ok "$label"; else fail "$label" "$* ended with status $?" "$(head -n 5 "$work/check")"; fi
}

# at_least VALUE BOUND: for check.
at_least() {
    awk -v value="$1" -v bound="$2" 'BEGIN { exit !(value != "" && value + 0 >= bound + 0) }'
}

# run COMMAND...: runs it; its status is in $status, its output in $work/out and $work/err. Only a command that hangs meets the limit,
# even if the machine is busy.
run() {
    timeout 600 "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# Root can write to every folder, so a test of closed folders begins its commands with the words that this prints, which take
# that power away. Other users need none.
without_power() {
    [ "$(id -u)" -ne 0 ] || echo "setpriv --bounding-set=-all --inh-caps=-all --"
}
# Whether such a command is kept out of a closed folder here.
has_no_power() {
    # shellcheck disable=SC2046 # a list of words
    mkdir -p "$work/closed" && chmod 555 "$work/closed" && ! $(without_power) touch "$work/closed/file" 2>"$work/null"
}

# refuses NAME STATUS COMMAND...: the command must end with this status, say why in one line `program: what: what to do` on
# standard error, and print nothing on standard output. STATUS may be a list, such as 2,3.
refuses() {
    label=$1 expected=$2
    shift 2
    run "$@"
    lines=$(wc -l <"$work/err")
    case ",$expected," in
    *,"$status",*) ;;
    *)
        fail "$label" "$*" "status $status, expected $expected" "$(head -n 3 "$work/err")"
        return
        ;;
    esac
    if [ "$lines" -ne 1 ]; then
        fail "$label" "$*" "$lines lines on standard error, expected 1:" "$(head -n 5 "$work/err")"
    elif ! grep -Eq '^(bankshot-)?[a-z_]+: .+: .+' "$work/err"; then
        fail "$label" "$*" "not 'program: what is wrong: what to do':" "$(cat "$work/err")"
    elif [ -s "$work/out" ]; then
        fail "$label" "$*" "printed on standard output:" "$(head -n 3 "$work/out")"
    else
        ok "$label"
    fi
}

# column NAME FILE: the values of that column of a CSV, in one line.
column() {
    awk -v want="$1" -f scripts/csv.awk -f tests/shell/column.awk "$2" | tr '\n' ' ' | sed 's/ $//'
}

# measure_csv PROGRAM DEVICE OPTION...: a run that must end well and whose CSV lands in $work/out, with every row even if the machine
# is so busy that a budget would leave out some.
measure_csv() {
    program=$1 device=$2
    shift 2
    run "$program" --device "$device" --full --quiet --csv - "$@"
    [ "$status" -eq 0 ] || fail "$device $*" "status $status" "$(cat "$work/err")"
}

# measures COLUMN EXPECTED ARGUMENT...: the column's values after the test's own `measure ARGUMENT...`.
measures() {
    want=$1 expected=$2
    shift 2
    measure "$@"
    is "$*: $want" "$(column "$want" "$work/out")" "$expected"
}

# built PROGRAM: ends the test if the program is not built.
built() {
    [ -x "$1" ] || { fail "$1 is built"; finish; }
}

# compiles_for GPU: whether a compiler that is here makes the GPU's instructions of a kernel in CUDA C++.
compiles_for() {
    echo '__global__ void probe(float *a) { a[threadIdx.x] = 1; }' >"$work/probe.cu"
    "$BUILD/lanes" --gpu "$1" --kernel "$work/probe.cu" --block 32 --arg buffer:float:32 >"$work/null" 2>&1
}

# makes_ptx: whether the probes' own kernels run by PTX here, for which they need NVRTC.
makes_ptx() {
    "$BUILD/gmem" --device sim:h200 --via ptx --variant read --width 4 --stride 1 --elements 4K --quiet >"$work/null" 2>&1
}

# shellcheck disable=SC2034 # of tests
no_compiler="no compiler makes a GPU's instructions of them here: clang or NVRTC would"

# has_fake BACKEND: whether there is a fake GPU driver that runs kernels on the host (tests/fakes/fake.h); reports a skip if not.
has_fake() {
    grep -q FAKE_MEMORY_MB "$BUILD/tests/fake_$1.so" 2>"$work/null" && return
    skip "$1 on a fake driver" "there is none: its headers are not here, or make unit-tests was not run"
    return 1
}

# link_fakes FOLDER: the fake drivers under the vendors' names, for LD_LIBRARY_PATH.
link_fakes() {
    mkdir -p "$1"
    fakes=$(cd "$BUILD" && pwd)/tests
    for library in cuda/libcuda.so.1 cuda/libnvrtc.so cuda/libnvidia-ml.so.1 cuda/libnccl.so.2 hip/libamdhip64.so hip/libhiprtc.so hip/librccl.so.1 hip/librocm_smi64.so; do
        ln -s "$fakes/fake_${library%/*}.so" "$1/${library#*/}"
    done
}

# run_with_fakes [NAME=VALUE...] COMMAND...: runs it with the fake drivers in $work/lib, where link_fakes puts them.
run_with_fakes() {
    run env LD_LIBRARY_PATH="$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" CUDA_HOME="$work" ROCM_PATH="$work" "$@"
}

# can_start_ranks: whether $mpirun starts programs here. Open MPI must be told to allow more ranks than processors, and root, by variables
# whose names differ between versions.
can_start_ranks() {
    mpirun=${MPIRUN:-mpirun}
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    command -v "$mpirun" >"$work/null" && timeout 60 "$mpirun" -n 1 true >"$work/null" 2>&1
}

# little_memory MB: makes $work/little, which runs a command on a machine that reports only this much free memory. Fails if that
# is not possible.
little_memory() {
    printf 'MemTotal: 9999999 kB\nMemAvailable: %s kB\n' "$(($1 * 1024))" >"$work/meminfo"
    # shellcheck disable=SC2016 # the script's own
    printf '#!/bin/sh\nexec unshare -m sh -c "mount --bind %s /proc/meminfo && exec \\"\\$@\\"" sh "$@"\n' \
        "$work/meminfo" >"$work/little"
    chmod +x "$work/little"
    "$work/little" true 2>"$work/null"
}

# has_sanitizers: whether the compiler has the sanitizers that a fuzzer is built with.
has_sanitizers() {
    echo 'int main(void) { return 0; }' | ${CC:-cc} -x c -fsanitize=address,undefined -o "$work/sanitized" - 2>"$work/null"
}

# mutate WHAT FUZZER FILE...: whatever a fuzzer would try first must be read or refused, under the sanitizers.
mutate() {
    what=$1 fuzzer=$BUILD/tests/$2
    shift 2
    everything || return 0
    if ! has_sanitizers; then
        skip "mutated $what" "the sanitizers are not here"
    elif ! make -s BUILD="$BUILD" "$fuzzer" >"$work/make" 2>&1; then
        fail "mutated $what: the fuzzer is built" "$(tail -n 3 "$work/make")"
    else
        check "mutated $what are read or refused" env OMP_NUM_THREADS=1 "$fuzzer" "$@"
    fi
}

# copy_tree FOLDER: copies the sources, to be changed and built there, with the objects, so that these are not compiled again.
copy_tree() {
    mkdir -p "$1/build"
    for part in *; do
        case $part in
        build* | results | docs | plots) ;;
        *) cp -rp "$part" "$1/" ;;
        esac
    done
    for built in obj libbankshot.a; do
        [ ! -e "$BUILD/$built" ] || cp -rp "$BUILD/$built" "$1/build/"
    done
}

# finish: ends the test with its exit status.
finish() {
    [ "$failures" -eq 0 ]
    exit
}
