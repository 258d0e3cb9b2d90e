#!/bin/sh
# For a GPU machine that can be reached only through a job scheduler:
#   sh scripts/batch.sh OUT
# Builds, runs every probe on the first GPU of each vendor, compares our copy with the driver's, counts what gmem and smem
# do with the vendor's counters (OUT/counters), runs the tests that are
# possible there and compute-sanitizer, all within nine minutes. OUT gets summary.txt, log.txt, and PROBE-DEVICE.csv.
# It installs nothing and needs only a C compiler, make, and the vendor's driver and run-time compiler.
# BANKSHOT_DEVICES=cuda:1,hip:0 chooses other devices, BATCH_SECONDS another deadline.
set -u
. "$(dirname "$0")/options.sh"
check_options "$0" "" "$@"
[ $# -eq 1 ] || { echo "batch: one argument is needed, the folder for the results: sh scripts/batch.sh OUT" >&2; exit 2; }
mkdir -p "$1" || exit 1
OUT=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")/.." || exit 1

deadline=$(($(date +%s) + ${BATCH_SECONDS:-520}))
BUILD=${BUILD:-build/batch}
. scripts/lib.sh

summary=$OUT/summary.txt
log=$OUT/log.txt
part=$(mktemp) || exit 1 # the log of the current step
trap 'rm -f "$part" "$part.runs"' EXIT
trap 'exit 130' HUP INT TERM
: >"$log"
: >"$summary" || exit 1
failures=0

# settings_of PROBE DEVICE: enough for a figure that can be relied on. The budgets sum to about 300 s, because a run that
# measures until its deadline has neither counted nor tested anything.
settings_of() {
    case $2 in
    cuda* | hip*)
        echo "--budget $([ "$1" = levels ] && echo 90 || echo 45) --min-time 0.05 --max-time 0.2 $([ "$1" != apsp ] || echo "--vertices 4096")" ;;
    *) budget_settings "$@" 60 ;;
    esac
}

say() {
    echo "$*" | tee -a "$summary"
}

# step NAME SECONDS COMMAND...: runs the command with its output in the log, for SECONDS at most and never past the deadline.
step() {
    name=$1 limit=$2
    shift 2
    left=$((deadline - $(date +%s)))
    if [ "$left" -lt 5 ]; then
        say "SKIP $name: no time left"
        return 1
    fi
    asked=$limit
    [ "$left" -ge "$limit" ] || limit=$left
    started=$(date +%s)
    printf '\n== %s: %s\n' "$name" "$*" >>"$log"
    timeout -k 5 "$limit" "$@" >"$part" 2>&1 </dev/null
    status=$?
    cat "$part" >>"$log"
    seconds=$(($(date +%s) - started))
    case $status in
    0) say "ok   $name ($seconds s)" ;;
    124 | 137) # stopped, the second time by force
        if [ "$limit" -lt "$asked" ]; then
            say "SKIP $name: not finished when time ran out ($seconds s)"
            return 1
        fi
        say "FAIL $name (stopped after $seconds s)"
        ;;
    *) say "FAIL $name (status $status, $seconds s): see log.txt" ;;
    esac
    [ "$status" -eq 0 ] && return
    failures=$((failures + 1))
    grep -E '^(FAIL|not ok|[a-z]+: .+: )|ERROR' "$part" | head -n 5 | sed 's/^/       /' | tee -a "$summary"
    return "$status"
}

# batch_devices PROBE: the first GPU of each backend, or those of BANKSHOT_DEVICES; for links all GPUs.
batch_devices() {
    if [ -n "${BANKSHOT_DEVICES:-}" ] || [ "$1" = links ]; then device_groups "$1"; else gpus | awk -F : '!seen[$1]++'; fi
}

measure() {
    for probe in $(probes); do
        for device in $(batch_devices "$probe"); do
            csv=$OUT/$probe-$(results_folder "$probe" "$device").csv
            # shellcheck disable=SC2046 # a list of options
            step "$probe on $device" 240 "$BUILD/$probe" --device "$device" $(settings_of "$probe" "$device") --csv "$csv"
            say "     $(awk -f scripts/csv.awk -f scripts/copy_ratio.awk "$csv")"
        done
    done
}

# Adds the vendor's counters to the model's counts, in a separate folder, because these rows are timed in haste.
count() {
    for probe in gmem smem; do
        for device in $(batch_devices "$probe" | grep -E '^(cuda|hip)'); do
            mkdir -p "$OUT/counters"
            csv=$OUT/counters/$probe-$(results_folder "$probe" "$device").csv
            step "counters of $probe on $device" 80 "$BUILD/$probe" --device "$device" --counters --budget 30 --min-time 0.01 \
                --max-time 0.05 --csv "$csv" && say "     $(grep -m 1 ': counters: ' "$part")"
        done
    done
}

test_here() {
    if has_header cmocka.h; then
        step "build unit tests" 90 make -j"$(processors)" unit-tests &&
            for test in "$BUILD"/tests/test_*; do
                [ ! -x "$test" ] || [ -d "$test" ] || step "$(basename "$test")" 60 "$test"
            done
    else
        say "SKIP unit tests: cmocka is not here"
    fi
    for test in test_gpu_real test_cli test_faults; do
        step "$test" 100 sh "tests/shell/$test.sh"
    done
}

# Runs the experiments on the model's open rules, on the first NVIDIA GPU.
answer_open_rules() {
    device=$(batch_devices smem | grep -m 1 '^cuda') || return 0
    seconds=$((deadline - $(date +%s) - 20))
    [ "$seconds" -ge 60 ] || {
        say "SKIP open rules on $device: no time left"
        return
    }
    [ "$seconds" -lt 150 ] || seconds=150
    step "open rules on $device" $((seconds + 15)) env RULES_SECONDS="$seconds" sh scripts/rules.sh --device "$device" "$OUT/rules"
    [ ! -e "$OUT/rules/rules.txt" ] || sed -n '/^by time:/,$p' "$OUT/rules/rules.txt" | sed 's/^/     /' | tee -a "$summary"
}

sanitize() {
    toolkit=${CUDA_HOME:-/usr/local/cuda}
    sanitizer=$(first_program "$(command -v compute-sanitizer)" "$toolkit/bin/compute-sanitizer" \
        "$toolkit/compute-sanitizer/compute-sanitizer")
    for probe in $(probes); do
        for device in $(batch_devices "$probe" | grep '^cuda'); do
            for tool in memcheck racecheck synccheck initcheck; do
                if [ -z "$sanitizer" ]; then
                    say "SKIP $tool of $probe on $device: compute-sanitizer is not here"
                    continue
                fi
                settings_for_sanitizer "$tool" "$probe" >"$part.runs"
                while read -r settings; do
                    # shellcheck disable=SC2086 # a list of options
                    step "$tool of $probe on $device" 60 "$sanitizer" --tool $tool --error-exitcode 9 \
                        "$BUILD/$probe" --device "$device" $settings
                done <"$part.runs"
            done
        done
    done
}

say "bankshot batch on $(uname -n), $(date -u +%Y-%m-%dT%H:%M:%SZ), commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
sh scripts/setup.sh --check 2>&1 | tee -a "$summary"
if ! step build 120 make -j"$(processors)" || [ -z "$(probes)" ]; then
    tail -n 20 "$log" | tee -a "$summary"
    exit 1
fi
"$BUILD/$(probes | head -n 1)" --list-devices 2>&1 | tee -a "$summary"
if [ -z "$(batch_devices gmem)" ]; then
    say "FAIL no GPU is found: see the reasons above; BANKSHOT_DEVICES=cpu runs on the CPU anyway"
    exit 1
fi
measure
count
test_here
sanitize
answer_open_rules
step test_gpu_real_reduce 200 sh tests/shell/test_gpu_real_reduce.sh
step test_kernels 300 sh tests/shell/test_kernels.sh
summarize "$OUT"/*.csv | tee -a "$summary"
say "$failures failed, $((deadline - $(date +%s))) s left"
[ "$failures" -eq 0 ]
