#!/bin/sh
# scripts/run.sh as an ordinary user in a folder whose name has a space, with no network, where ffi.h, jansson.h, elfutils/libdwfl.h,
# gnuplot and nvcc are hidden; then with clang alone. In mount and network namespaces of its own, so that nothing is changed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
unset BANKSHOT_KERNEL_CACHE # a first run finds no compiled kernels, and another user may not use ours

if [ "$(id -u)" -ne 0 ] || ! unshare -n -m true 2>"$work/null" || ! command -v setpriv >"$work/null"; then
    skip "run.sh where parts are missing" "only root can hide them, with unshare and setpriv"
    finish
fi

tree="$work/a folder/bankshot"
mkdir -p "$tree"
# Of the results only the published tables, which report contains: the page of all others takes longer than the rest.
tar -c --exclude=./.git --exclude='./build*' --exclude='./results/[!p]*' . | tar -x -C "$tree"
chmod 755 "$work"
chown -R 65534:65534 "$work/a folder"
: >"$work/hidden"
chmod 000 "$work/hidden"

# where_missing FILES COMMAND...: runs the command as a user without a network and without FILES, which are separated by spaces. The
# programs are not optimized, because building them takes longer than what they do here.
where_missing() {
    hidden=$1
    shift
    # shellcheck disable=SC2016 # they are for the shell in the namespace
    timeout 300 unshare -n -m sh -c '
        for file in $1; do
            [ ! -e "$file" ] || mount --bind "$2/hidden" "$(readlink -f "$file")" || exit 77
        done
        cd "$2/a folder/bankshot" && shift 2 &&
            exec setpriv --reuid=65534 --regid=65534 --clear-groups env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/nonexistent \
                CFLAGS=-O0 OMP_WAIT_POLICY=passive "$@"' sh "$hidden" "$work" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

parts="$(find /usr/include /usr/local/include \( -name ffi.h -o -name jansson.h -o -path '*/elfutils/libdwfl.h' \) 2>"$work/null" | tr '\n' ' ')$(command -v gnuplot) /usr/local/cuda/bin/nvcc"
gnu=$(for program in cc gcc c99; do command -v "$program"; done | tr '\n' ' ')

where_missing "$parts" RUN_SECONDS=5 sh scripts/run.sh
[ "$status" -ne 77 ] || {
    skip "run.sh where parts are missing" "nothing can be mounted here"
    finish
}
is "run.sh ends well" "$status" 0
[ "$status" -eq 0 ] || tail -n 5 "$work/err" >&2
for probe in gmem reduce apsp; do
    check "$probe's rows on the CPU are there" [ -n "$(column verified "$tree/results/here/cpu/$probe.csv")" ]
done
for part in libdw libffi jansson gnuplot; do
    is "$part is named once, with what is lost and the command" "$(grep -c "^setup: missing: $part (no .* is .*): sudo .*$part" "$work/err")" 1
done
check "the last lines say how to draw the charts elsewhere" grep -q '^bankshot, and run: make plots DIR=' "$work/out"

if ! command -v clang >"$work/null"; then
    skip "run.sh with clang alone" "clang is not here"
    finish
fi
# One program, because test_builds.sh builds all of them with clang.
for compiler in CC=clang NO_CC=; do
    where_missing "$parts $gnu" "$compiler" BANKSHOT_DEVICES=cpu sh -c 'rm -rf results/here; sh scripts/setup.sh && make -s build/reduce && build/reduce --device cpu --elements 1M --max-time 0.02 --min-time 0'
    is "clang alone builds and measures: $compiler" "$status $(grep -c 'a C compiler' "$work/err")" "0 0"
done
finish
