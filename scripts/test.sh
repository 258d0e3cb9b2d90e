#!/bin/sh
# Installs what is missing, builds with warnings as errors, and runs every test. What can't run here is skipped, by name.
#   sh scripts/test.sh           everything, in under ten minutes on two cores
# Logs are in build/tests/logs. The last line is the count; the exit status is non-zero if anything failed.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/lib.sh

logs=$BUILD/tests/logs
rm -rf "$logs"
mkdir -p "$logs" || exit 1
: >"$logs/results"

# record LINE: `ok NAME`, `FAIL NAME` or `SKIP NAME: why`; failures are shown as they come.
record() {
    echo "$1" >>"$logs/results"
    case $1 in FAIL*) echo "$1" ;; esac
}

# show LOG: its end, beneath a failure.
show() {
    tail -n 25 "$1" | sed 's/^/    /'
}

# step NAME SECONDS COMMAND...: one test; it passes if the command does.
step() {
    name=$1 limit=$2
    shift 2
    if timeout "$limit" "$@" >"$logs/$name.log" 2>&1 </dev/null; then
        record "ok $name"
        echo "ok   $name"
    else
        record "FAIL $name (status $?)"
        show "$logs/$name.log"
        return 1
    fi
}

# group NAME SECONDS COMMAND...: a program that reports its tests itself, as cmocka's TAP does or as tests/lib.sh does.
group() {
    name=$1 limit=$2
    shift 2
    started=$(date +%s)
    CMOCKA_MESSAGE_OUTPUT=TAP timeout "$limit" "$@" >"$logs/$name.log" 2>&1 </dev/null
    status=$?
    awk -v name="$name" -v status="$status" '
        /^1\.\.[0-9]+$/ { planned = substr($0, 4) }
        !/^(ok|not ok|FAIL|SKIP) / { next }
        {
            verdict = /^not ok|^FAIL/ ? "FAIL" : /^SKIP|# SKIP/ ? "SKIP" : "ok"
            sub(/^(not ok|ok|FAIL|SKIP) ([0-9]+ - )?/, "")
            print verdict " " name ": " $0
            count[verdict]++
        }
        END {
            total = count["ok"] + count["FAIL"] + count["SKIP"]
            if (status != 0 && !count["FAIL"])
                print "FAIL " name ": ended with status " status
            else if (total == 0 || total < planned)
                print "FAIL " name ": ran " total " of " planned " tests"
        }' "$logs/$name.log" >"$logs/$name.results"
    cat "$logs/$name.results" >>"$logs/results"
    printf '%-4s %s: %s tests in %s s\n' "$(grep -q ^FAIL "$logs/$name.results" && echo FAIL || echo ok)" "$name" \
        "$(wc -l <"$logs/$name.results" | tr -d ' ')" "$(($(date +%s) - started))"
    if grep ^FAIL "$logs/$name.results"; then show "$logs/$name.log"; fi
}

skip() {
    record "SKIP $1: $2"
    echo "skip $1: $2"
}

finish() {
    echo
    grep ^SKIP "$logs/results"
    awk '{ n[$1]++ } END { printf "%d passed, %d failed, %d skipped\n", n["ok"], n["FAIL"], n["SKIP"]; exit n["FAIL"] > 0 }' \
        "$logs/results"
    exit
}

# build NAME ARGUMENT...: everything, by make, without a warning.
build() {
    name=$1
    shift
    step "build-$name" 300 make -j"$(processors)" WERROR=-Werror "$@"
}

test_units() {
    for test in "$BUILD"/tests/test_*; do
        [ ! -x "$test" ] || group "$(basename "$test")" 300 "$test"
    done
}

test_scripts() {
    for test in tests/test_*.sh; do
        [ ! -e "$test" ] || group "$(basename "$test" .sh)" 400 sh "$test"
    done
}

# Everything once more with the sanitizers: the unit tests, and the programs' command line.
test_sanitized() {
    sanitized=$BUILD/sanitize
    build sanitized BUILD="$sanitized" SANITIZE=address,undefined,leak CFLAGS='-O1 -g' all unit-tests || return
    for test in "$sanitized"/tests/test_*; do
        [ ! -x "$test" ] || group "sanitized-$(basename "$test")" 400 "$test"
    done
    group sanitized-test_cli 400 env BUILD="$sanitized" sh tests/test_cli.sh
    group sanitized-test_reduce 400 env BUILD="$sanitized" sh tests/test_reduce.sh results
}

test_other_builds() {
    if [ -e /usr/include/omp.h ] || clang -fopenmp -E -include omp.h -x c /dev/null >/dev/null 2>&1; then
        build clang BUILD="$BUILD/clang" CC=clang all unit-tests
    else
        skip build-clang "clang has no OpenMP here: install libomp-dev"
    fi
    build without-gpu-headers BUILD="$BUILD/bare" HAVE_SIM= CUDA_INCLUDE= HIP_INCLUDE= all
    if command -v aarch64-linux-gnu-gcc >/dev/null; then
        build arm64 BUILD="$BUILD/arm64" CC=aarch64-linux-gnu-gcc CUDA_INCLUDE= HIP_INCLUDE= all
    else
        skip build-arm64 "aarch64-linux-gnu-gcc is not here"
    fi
}

# The layout that clang-format decides differs from version to version; the sources follow 14.
test_layout() {
    for format in clang-format-14 clang-format; do
        case $($format --version 2>/dev/null) in
        *' 14.'*)
            step layout 60 make CLANG_FORMAT="$format" check-format
            return
            ;;
        esac
    done
    skip layout "the sources are laid out with clang-format 14, and there is $(clang-format --version 2>&1)"
}

sh scripts/setup.sh --tests || {
    record "FAIL setup"
    finish
}
wheels=$PWD/build/wheels
export PATH="$PATH:$wheels/nvidia/cu13/bin"
if [ -e "$wheels/nvidia/cu13/include/nvrtc.h" ]; then
    export CUDA_HOME="$wheels/nvidia/cu13" PYTHONPATH="$wheels${PYTHONPATH:+:$PYTHONPATH}"
fi

# On a machine that does other things, too, threads that spin while they wait make each other late.
export OMP_WAIT_POLICY=passive
build gcc all unit-tests || finish
test_units
test_scripts & # beside what only builds into folders of its own
scripts=$!
test_sanitized
test_other_builds
test_layout
step shellcheck 60 shellcheck -x -S warning scripts/*.sh scripts/batch.slurm tests/*.sh plots/*.sh
wait "$scripts"
finish
