# What the scripts share: sourced as `. scripts/lib.sh`, in the repository's root.
# shellcheck shell=sh

# make cannot handle a folder with a space in its name, so it gets a link to it.
BUILD=$(sh scripts/build/plain_path.sh "${BUILD:-build}") || exit 1
# What a run writes, which git ignores; the other folders of results/ belong to the repository.
RESULTS=${RESULTS:-results/here}
export BUILD

LEVELS_QUICK_VARIANTS=latency,latency-shared,latency-atomic,bandwidth,unit-bandwidth,in-flight,tlb
# Variants in addition to these, each with a separate kernel. The sanitizer also runs them only on NVIDIA.
LEVELS_NVIDIA_VARIANTS=latency-read-only,latency-store,latency-constant,dram,partitions

# choose_compiler: without CC and without cc, takes the first compiler that is installed.
choose_compiler() {
    [ -z "${CC:-}" ] || return 0
    for compiler in cc gcc clang; do
        command -v "$compiler" >/dev/null 2>&1 || continue
        [ "$compiler" = cc ] || export CC="$compiler"
        return
    done
}
choose_compiler

# weight_of PROBE DEVICE: its share of the device's time, relative to the other probes.
weight_of() {
    case "$1 on $2" in
    "gmem on "*) echo 8 ;;
    "smem on "* | "levels on "*) echo 4 ;;
    *) echo 3 ;;
    esac
}

# budget_settings PROBE DEVICE SECONDS: options for what fits.
budget_settings() {
    echo "--noise 2 --budget $([ "$3" -ge 1 ] && echo "$3" || echo 1)"
    case "$1 on $2" in
    "apsp on sim:"*) echo "--vertices 1024 --sim-blocks 2" ;;
    "apsp on cpu") ;;
    "apsp on "*) echo "--vertices 4096" ;;
    "reduce on sim:"*) echo "--sim-blocks 4" ;;
    esac
}

# settings_for_sanitizer TOOL PROBE: every kernel once with little work, because these tools are very slow; a line for each run.
# racecheck is slowest with much shared memory and many blocks, so there it gets fewer of them.
settings_for_sanitizer() {
    case "$1 $2" in
    "racecheck gmem") echo "--elements 30000 --stride 1 --width 4,16 --offset 0 --window 0" ;;
    *" gmem") echo "--elements 70000 --stride 1,3 --width 1,4,16" ;;
    "racecheck smem")
        echo "--variant load,atomic-add,transpose-shared,transpose-padded,transpose-swizzled --stride 3 --width 4 --block 64 --elements 1K"
        echo "--variant store,load-latency --stride 0,3 --width 1,8 --block 64"
        ;;
    *" smem") echo "--stride 1,3 --width 4" ;;
    "racecheck levels") echo "--variant latency-shared,bandwidth,unit-bandwidth,unit-bandwidth-copy,in-flight,dram --footprint 32K --line 1K --warps 2" \
        "--loads 1 --fetch 64" ;;
    *" levels") echo "--variant $LEVELS_QUICK_VARIANTS,$LEVELS_NVIDIA_VARIANTS,bandwidth-copy,unit-bandwidth-write,loaded-latency" \
        "--footprint 32K --warps 2 --elements 64 --traffic 10 --line 0" ;;
    *" links") echo "--footprint 20000,1M" ;;
    "racecheck reduce") echo "--elements 9000 --block 128" ;;
    *" reduce") echo "--elements 70000" ;;
    "racecheck apsp")
        echo "--vertices 130 --variant shared-row,unrolled,register-tiled,int16"
        echo "--vertices 130 --variant register-tiled,int16 --tile 128"
        echo "--vertices 260 --variant register-tiled,int16 --tile 256"
        ;;
    *" apsp")
        echo "--vertices 130"
        echo "--vertices 260 --variant register-tiled,int16 --tile 256"
        ;;
    esac | sed 's/$/ --predict no --min-time 0 --max-time 0.01 --samples 1/'
}

# has_header HEADER, links_with FLAG: whether the compiler finds the header, and links with the flag.
has_header() {
    echo "#include <$1>" | ${CC:-cc} -include stdarg.h -include stddef.h -include setjmp.h -E -x c - >/dev/null 2>&1
}

links_with() {
    printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' | ${CC:-cc} -x c - "$1" -o /dev/null >/dev/null 2>&1
}

# newest_clang: the program by which lanes and --via compile for GPUs, found as sim/process.c does, or nothing.
newest_clang() {
    for compiler in /opt/rocm/llvm/bin/clang clang-25 clang-24 clang-23 clang-22 clang-21 clang-20 clang-19 clang-18 clang-17 clang-16 \
        clang-15 clang-14 clang; do
        ! command -v "$compiler" || return 0
    done
    return 1
}

# major_version CLANG
major_version() {
    "$1" -dumpversion | cut -d . -f 1
}

# wasm_clang: the first clang that links a program for WebAssembly, which needs its own lld and run-time library, or nothing.
wasm_clang() {
    for compiler in clang clang-19; do
        echo 'int main(void) { return 0; }' | "$compiler" --target=wasm32-wasi -x c - -o /dev/null >/dev/null 2>&1 || continue
        echo "$compiler"
        return
    done
    return 1
}

processors() {
    getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1
}

# first_program FILE...: the first file that can be run, or nothing.
first_program() {
    for program; do
        [ ! -x "$program" ] || { echo "$program"; return; }
    done
}

# listed_probes: the name on each line of scripts/build/probes.
listed_probes() {
    sed '/^#/d; s/ .*//' scripts/build/probes
}

# The programs that are not probes.
listed_tools() {
    sed '/^#/d' scripts/build/tools
}

# The probes that are built.
probes() {
    for probe in $(listed_probes); do
        [ ! -x "$BUILD/$probe" ] || echo "$probe"
    done
}

# left_out PROBE: the backends that cannot run it, as a pattern of grep -E.
left_out() {
    awk -v probe="$1" '$1 == probe { for (i = 2; i <= NF; i++) printf("%s^%s(:|$)", (i > 2 ? "|" : ""), $i) }' scripts/build/probes
}

# Every real GPU by its spec, "cuda:0".
gpus() {
    "$BUILD/$(probes | head -n 1)" --list-devices | awk '$1 ~ /^(cuda|hip):[0-9]+$/ && $2 != "unavailable:" { print $1 }'
}

has_simulator() {
    "$BUILD/$(probes | head -n 1)" --list-devices | grep -q '^sim:'
}

# devices [PROBE]: what run.sh measures, one per line: every real GPU, then the CPU; with PROBE only those that it runs on. Nothing is
# simulated unless BANKSHOT_DEVICES says so.
devices() {
    unfit=
    [ $# -eq 0 ] || unfit=$(left_out "$1")
    if [ -n "${BANKSHOT_DEVICES:-}" ]; then
        echo "$BANKSHOT_DEVICES" | tr , '\n'
    else
        gpus
        echo cpu
    fi | if [ -n "$unfit" ]; then grep -Ev "$unfit"; else cat; fi
}

# probes_on DEVICE: the probes that measure it alone: all that run on it but links, which goes from one device to another.
probes_on() {
    for probe in $(probes); do
        [ "$probe" != links ] || continue
        unfit=$(left_out "$probe")
        [ -n "$unfit" ] && echo "$1" | grep -qE "$unfit" || echo "$probe"
    done
}

# device_groups PROBE: what it is given as --device, a line each run: for links, which go from one to another, all at once.
device_groups() {
    case $1 in
    links) devices "$1" | paste -s -d , - ;;
    *) devices "$1" ;;
    esac
}

# folder_of SPEC: "sim:h200" becomes sim-h200.
folder_of() {
    echo "$1" | tr -c 'A-Za-z0-9\n' -
}

# results_folder PROBE SPEC: where its rows go: those of links are the whole machine's.
results_folder() {
    case $1 in
    links) echo machine ;;
    *) folder_of "$2" ;;
    esac
}

# fingerprint FILE: a line that changes with the file's size and age; nothing if there is no file.
fingerprint() {
    [ ! -e "$1" ] || ls -li --time-style=full-iso "$1" 2>/dev/null || ls -li "$1"
}

# failed WHAT STATUS: reports a failure and counts it.
failed() {
    echo "FAILED: $1 (status $2)" >&2
    failures=$((failures + 1))
}

# summarize CSV...: a table of what was measured; missing files are skipped.
summarize() {
    for csv in "$@"; do
        shift
        [ ! -s "$csv" ] || set -- "$@" "$csv"
    done
    [ $# -eq 0 ] || LC_ALL=C awk -f scripts/csv.awk -f scripts/summary.awk "$@"
}

# rows_left CSV...: how many rows of those that the probes could measure are in the files, and the command for the rest.
rows_left() {
    sed -n 's/^# rows: \([0-9]*\) of \([0-9]*\).*/\1 \2/p' "$@" |
        awk '{ done += $1; all += $2 } END { if (all > done) printf "%d of %d rows measured; for the rest: sh scripts/run.sh --full\n", done, all }'
}
