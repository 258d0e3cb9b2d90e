#!/bin/sh
# Installs what is missing, builds with warnings as errors, and runs the tests. What cannot run here is skipped and named.
#   sh scripts/test.sh           with what the build uses and cmocka: in five minutes on two cores
#   sh scripts/test.sh --all     everything, with other compilers, sanitizers, emulators, shells and a browser: in twelve
# tests/groups lists the tests. Logs are in build/tests/logs. The last line is the count; the exit status is non-zero if anything
# failed.
set -u
. "$(dirname "$0")/options.sh"
answer_help "$0" "$@"
cd "$(dirname "$0")/.." || exit 1
. scripts/lib.sh

case $* in
'') TEST_SIZE=small needs=--unit-tests ;;
--all) TEST_SIZE=all needs=--tests ;;
*)
    echo "test: unknown option $*: there is --all" >&2
    exit 2
    ;;
esac
export TEST_SIZE # for tests/shell/lib.sh

logs=$BUILD/tests/logs
sanitized=$BUILD/sanitize
rm -rf "$logs"
mkdir -p "$logs" || exit 1

# build NAME ARGUMENT...: builds with make and without warnings; counts as a test that passes if make does.
build() {
    name=build-$1 started=$(date +%s)
    shift
    if timeout -k 10 1200 make -j"$(processors)" WERROR=-Werror "$@" >"$logs/$name.log" 2>&1 </dev/null; then
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

# The tests of this size that are there, by name.
names() {
    find_names "$BUILD" ''
    [ "$TEST_SIZE" = small ] || [ ! -x "$sanitized/gmem" ] || {
        find_names "$sanitized" sanitized-
        sed -n 's/^\(sanitized-[^ *]*[.]sh[^ ]*\) .*/\1/p' tests/groups
    }
}

# find_names FOLDER PREFIX: with a prefix, unit tests alone.
find_names() {
    for test in tests/unit/test_*.c; do
        test=$(basename "$test" .c)
        [ ! -x "$1/tests/$test" ] || echo "$2$test"
    done
    [ -n "$2" ] || for test in tests/shell/test_*.sh; do basename "$test"; done
}

# groups WHICH: what to run, one per line: NAME SECONDS COMMAND, without a blank at its end, after which xargs goes on with the next line.
# WHICH: `alone`, or `beside` others, the longest first.
groups() {
    names | awk -v size="$TEST_SIZE" -v which="$1" -v build="$BUILD" -v sanitized="$sanitized" '
        FILENAME == "tests/groups" {
            if (!/^($|#)/) {
                pattern[++lines] = $1
                gsub(/[.]/, "[.]", pattern[lines])
                gsub(/[*]/, ".*", pattern[lines])
                sizes[lines] = $2; orders[lines] = $3; limits[lines] = $4 + 0
            }
            next
        }
        {
            for (line = 1; line <= lines && $1 !~ ("^" pattern[line] "$"); line++);
            if (line > lines) { sizes[line] = "small"; orders[line] = 3; limits[line] = 1200 }
            if ((size == "small" && sizes[line] == "all") || (orders[line] == "alone") != (which == "alone")) next
            file = $1
            folder = sub(/^sanitized-/, "", file) ? sanitized : build
            part = file
            sub(/:.*/, "", file)
            sub(/^[^:]*:?/, "", part)
            print orders[line], $1, limits[line], file ~ /[.]sh$/ ? "env BUILD=" folder " sh tests/shell/" file (part == "" ? "" : " " part) : folder "/tests/" file
        }' tests/groups - | sort -s -k 1,1 | cut -d ' ' -f 2-
}

# run_groups N: runs the groups on standard input, N at a time.
run_groups() {
    xargs -P "$1" -L 1 sh scripts/test_group.sh
}

# Reports each group that left no results.
find_lost() {
    { groups beside; groups alone; } | while read -r name _; do
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

sh scripts/setup.sh "$needs" || {
    echo "FAIL setup" | tee "$logs/setup.results"
    finish
}
wheels=$PWD/build/wheels
export PATH="$PATH:$wheels/nvidia/cu13/bin:$wheels/bin"
export PYTHONPATH="$wheels${PYTHONPATH:+:$PYTHONPATH}"
[ ! -e "$wheels/nvidia/cu13/include/nvrtc.h" ] || export CUDA_HOME="$wheels/nvidia/cu13"

# Temporary files lie in memory where it has room for them and programs can be run there, because a file system on a disk spends up to
# 3 % of the tests' time on making and removing them.
# has_room FOLDER: a tmpfs with 6 GiB, on a machine with twice as much.
has_room() {
    [ "$(df -PkT "$1" 2>/dev/null | awk 'END { print ($2 == "tmpfs" && $5 >= 6 * 1024 * 1024) }')" = 1 ] &&
        awk '/^MemAvailable:/ { available = $2 } END { exit available < 12 * 1024 * 1024 }' /proc/meminfo &&
        cp /bin/true "$1/bankshot-true.$$" 2>/dev/null && "$1/bankshot-true.$$" 2>/dev/null
}
if [ -z "${TMPDIR-}" ] && has_room /dev/shm; then export TMPDIR=/dev/shm; fi
rm -f "/dev/shm/bankshot-true.$$"

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
plugins=
[ "$TEST_SIZE" = small ] || plugins=plugins
build usual all $plugins $unit_tests || finish
if [ "$TEST_SIZE" = small ]; then
    :
elif links_with -fsanitize=address,undefined,leak; then
    # Of the programs only those that run with the sanitizers.
    build sanitized BUILD="$sanitized" SANITIZE=address,undefined,leak CFLAGS='-O1 -g1' "$sanitized"/gmem "$sanitized"/lanes \
        "$sanitized"/reduce $unit_tests
else
    leave_out sanitized "the compiler has no sanitizers here"
fi
# Two more groups than there are processors, because a group waits at times: for a budget's end, for MPI to notice a lost rank.
# They keep the processors busy, so the simulator starts no workers in them but where a test asks for some.
groups beside | {
    export BANKSHOT_SIM_THREADS=1
    run_groups $(($(processors) + 2))
}
groups alone | run_groups 1 # tests that measure
find_lost
finish
