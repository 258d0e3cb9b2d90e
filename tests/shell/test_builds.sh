#!/bin/sh
# Everything is built without a warning by clang, without any optional header, and for arm64. It is hardly optimized, because
# nobody runs it; but gcc's warnings, unlike clang's, need some optimization.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

# build NAME ARGUMENT...
build() {
    folder=$BUILD/$1
    shift
    check "build ${folder##*/}" make WERROR=-Werror BUILD="$folder" PLUGINS= "$@"
}

# versions_of PROGRAM: those on the PATH with a version in their name, the newest first.
versions_of() {
    echo "$PATH" | tr : '\n' | while IFS= read -r folder; do
        find "$folder/" -maxdepth 1 -name "$1-[0-9]*" 2>"$work/null"
    done | sed -n "s|.*/\($1-[0-9]*\)\$|\1|p" | sort -t - -k 2,2nr -u
}

# version COMPILER: of its major number.
version() {
    echo __clang_major__ __GNUC__ | "$1" -E -P -x c - | awk '{ print ($1 ~ /^[0-9]/ ? $1 : $2) }'
}

# other_version COMPILER: the newest that is not the usual one.
other_version() {
    usual=$(version "$1" 2>"$work/null")
    for other in $(versions_of "$1"); do
        [ "$(version "$other")" = "$usual" ] || { echo "$other"; return; }
    done
}

# compilations_of CLANG GOAL: make's commands that compile for this goal, one a line.
compilations_of() {
    make -n BUILD="$work/unbuilt" WERROR=-Werror PLUGINS= CC="$1" CFLAGS= AR=: LINK=: link_test=: "$2" >"$work/commands" &&
        grep "^$1 .* -o " "$work/commands"
}

# checked_by CLANG COMMANDS: what the file's commands compile gives no warning. Clang takes longer to begin than to check a file, so one
# process checks all files that have the same options; but a pragma about warnings would last from file to file, so a file with one is
# checked alone.
checked_by() {
    clang=$1
    rm -f "$work"/options.* "$work"/files.*
    find . -path './build*' -prune -o -name '*.c' -exec grep -l '#pragma .* diagnostic' {} + | sed 's|^[.]/||' >"$work/alone"
    awk -v work="$work" '
        FILENAME == ARGV[1] { alone[$0]; next }
        {
            options = ""; files = 0
            for (i = 2; i <= NF; i++) {
                if ($i == "-o") i++
                else if ($i ~ /[.]c$/) file[++files] = $i
                else if ($i !~ /^-(c|MMD|MP|Wl,.*|l.*)$/) options = options " " $i
            }
            for (f = 1; f <= files; f++) {
                key = options (file[f] in alone ? SUBSEP file[f] : "")
                if (!(key in group)) { group[key] = ++groups; print options >(work "/options." groups) }
                print file[f] >(work "/files." group[key])
            }
        }' "$work/alone" "$2"
    [ -s "$work/files.1" ] || return
    for options in "$work"/options.*; do
        files=$work/files.${options##*.}
        # The compiler behind the driver, which would start one process for each file.
        eval "$clang -### -fsyntax-only $(cat "$options") $(head -n 1 "$files")" 2>&1 | grep ' "-cc1" ' | tail -n 1 |
            sed 's/ "-main-file-name" "[^"]*"//; s/ "[^"]*"$//' >"$work/compiler"
        [ -s "$work/compiler" ] && eval "$(cat "$work/compiler") $(tr '\n' ' ' <"$files")" || return
    done
}

# With clang the programs are linked, which unit tests would only repeat; from other versions, of which a newer one warns of more, only
# warnings are wanted.
build_with_clang() {
    command -v clang >"$work/null" || {
        skip "build clang" "clang is not here"
        return
    }
    build clang CC=clang CFLAGS=-O0 all
    compilations_of clang all >"$work/all"
    compilations_of clang unit-tests | grep -vxFf "$work/all" >"$work/tests"
    check "unit tests by clang" checked_by clang "$work/tests"
}

build_with_clang
other=$(other_version clang)
if [ -n "$other" ]; then
    { compilations_of "$other" all; compilations_of "$other" unit-tests; } | sort -u >"$work/everything"
    check "build $other" checked_by "$other" "$work/everything"
else
    skip "build of another clang" "no other version is here"
fi
other=$(other_version gcc)
if [ -n "$other" ]; then
    build "$other" CC="$other" CFLAGS=-O1 AR=: LINK=: all unit-tests # the usual build is gcc's
else
    skip "build of another gcc" "no other version is here"
fi

# Without optimization gcc does not see that each call passes a constant width.
check "the CPU's kernels without optimization" make -s WERROR=-Werror BUILD="$work/plain" CC=gcc CFLAGS=-O0 "$work/plain/obj/gmem/gmem_cpu.o"

# The thread sanitizer's hooks are the simulator's.
is "the thread sanitizer leaves out the simulator, and no other does" \
    "$(for sanitizer in thread address; do make -pn SANITIZE=$sanitizer 2>"$work/null" | grep '^HAVE_SIM' | tr -d ' '; done | xargs)" "HAVE_SIM:= HAVE_SIM:=yes"

# Otherwise each would compile again what the other has compiled.
is "one tool is built with the settings that everything is built with" \
    "$(for goal in all "$BUILD/lanes"; do make -n "$goal" 2>"$work/null" | grep -m 1 'cmp -s .*/compiler'; done | uniq | wc -l | tr -d ' ')" 1

# share_objects FOLDER SETTING...: gives its build with these settings the objects of the usual one, but for those whose source reads,
# itself or by a header, what may be left out: only these become others.
share_objects() {
    rm -rf "$1"
    mkdir -p "$1"
    cp -rp "$BUILD/obj" "$1/obj"
    rm -f "$1/obj/compiler"
    linked=$(sh scripts/build/plain_path.sh "$1")
    shift
    make -s BUILD="$linked" "$@" "$linked/obj/compiler" && touch -t 200001010000 "$linked/obj/compiler" # older than the objects
    set -- "$linked"
    find . -path './build*' -prune -o -name '*.[ch]' -exec grep -lE 'HAVE_[A-Z]+|_OPENMP|<omp[.]h>|#pragma omp' {} + |
        sed 's|^\./||' >"$work/optional"
    find "$1/obj" -name '*.d' -exec grep -lwFf "$work/optional" {} + | while IFS= read -r list; do rm "${list%.d}.o"; done
}

# What is optional, left out; into a folder with a space in its name.
bare="$BUILD/bare build"
left_out="HAVE_SIM= HAVE_JANSSON= HAVE_HWLOC= HAVE_MPI= OPENMP= CUDA_INCLUDE= HIP_INCLUDE= CFLAGS=-O1"
# shellcheck disable=SC2086 # a list of settings
{
    share_objects "$bare" WERROR=-Werror PLUGINS= $left_out
    build "bare build" $left_out all "$linked/tests/test_gpu"
    build "bare build" $left_out link_test=: unit-tests
}
rm -f "$linked" # a folder with a space in its name: make's link to it
run "$bare/gmem" --variant copy --width 4 --elements 64K --max-time 0.02 --min-time 0 --csv -
is "bare: a run without --device measures the CPU" "$status $(column backend "$work/out")" "0 cpu"
check "bare: one thread is named" grep -q '^# cpu driver.*no OpenMP, 1 threads' "$work/out"
refuses "bare: Spatter's patterns are refused" 2 "$bare/gmem" --device cpu --variant pattern --pattern tests/data/patterns/spatter.json
run "$bare/gmem" --device cpu --variant pattern --pattern tests/data/patterns/addresses --elements 64K --max-time 0.02 --min-time 0 --csv -
is "bare: addresses are measured" "$status $(column verified "$work/out")" "0 yes"
run "$bare/gmem" --list-devices
is "bare: what was left out is named" "$(awk '/left out when this program was built/ { print $1 }' "$work/out" | tr '\n' ' ')" "cuda hip sim "
run env CMOCKA_MESSAGE_OUTPUT=TAP "$bare/tests/test_gpu"
is "bare: tests of what was left out are skipped" "$status $(grep -c '# SKIP cuda: ' "$work/out")" "0 18"
if command -v aarch64-linux-gnu-gcc >"$work/null"; then
    build arm64 CC=aarch64-linux-gnu-gcc CUDA_INCLUDE= HIP_INCLUDE= CFLAGS=-O1 all
else
    skip "build arm64" "aarch64-linux-gnu-gcc is not here"
fi
finish
