#!/bin/sh
# How long a run takes, and which footprints it chooses. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
unset BANKSHOT_KERNEL_CACHE # a first run finds no compiled kernels

# fake_cache KIBIBYTES: a folder for BANKSHOT_SYSFS that describes a machine with such a last-level cache.
fake_cache() {
    for cpu in $(seq 0 $(($(getconf _NPROCESSORS_CONF) - 1))); do
        index=$work/sys/devices/system/cpu/cpu$cpu/cache/index0
        mkdir -p "$index"
        echo 3 >"$index/level"
        echo "$1K" >"$index/size"
        echo 0-1023 >"$index/shared_cpu_list"
    done
}

# cache_bytes measured|reported: what the metadata in $work/out says.
cache_bytes() {
    sed -n "s/^# cpu memory: .*cache \([0-9]*\) bytes as measured, \([0-9]*\) reported/\\$([ "$1" = measured ] && echo 1 || echo 2)/p" "$work/out"
}

# No processor gives 2 GiB of cache to one process, so the footprint must follow the measured size.
test_cache() {
    fake_cache 2097152
    run env BANKSHOT_SYSFS="$work/sys" "$BUILD/gmem" --device cpu --variant copy --width 16 --samples 1 --csv -
    is "a cache of 2 GiB: a copy ends well" "$status $(cat "$work/err")" "0 "
    is "a cache of 2 GiB: what is reported is said" "$(cache_bytes reported)" 2147483648
    check "a cache of 2 GiB: less is measured" test "$(cache_bytes measured)" -lt 1073741824
    check "a cache of 2 GiB: more than nothing is measured" test "$(cache_bytes measured)" -gt 0
}

# read_clock: sets $clock to the seconds of now, less those in which other programs had all processors, so that a busy machine does not
# make a command look slow. What this shell started does not count as another program once it has ended.
read_clock() {
    times >"$work/times"
    clock=$(awk -v now="$(date +%s)" -v ticks="$(getconf CLK_TCK)" -v processors="$(processors)" '
        $1 == "cpu" { for (i = 2; i <= 9; i++) if (i != 5 && i != 6) busy += $i / ticks } # all but idle and iowait
        $1 ~ /^[0-9]+m/ { for (i = 1; i <= 2; i++) { split($i, part, "[ms]"); own += 60 * part[1] + part[2] } }
        END { printf "%.2f\n", now - (busy > own ? busy - own : 0) / processors }' "$([ -r /proc/stat ] && echo /proc/stat || echo /dev/null)" "$work/times")
}

# measure_slowdown: sets $slow to how many times as long as on an idle machine a command takes now, because other programs use the
# processors, too. A budget is stretched by it.
measure_slowdown() {
    begun=$(cut -d ' ' -f 1 /proc/uptime)
    for _ in $(seq "$(processors)"); do
        awk 'BEGIN { for (i = 0; i < 10000000; i++) sum += i }' &
    done
    wait
    times >"$work/times"
    slow=$(awk -v begun="$begun" -v processors="$(processors)" '
        FILENAME == "/proc/uptime" { elapsed = $1 - begun; next }
        { for (i = 1; i <= 2; i++) { split($i, part, "[ms]"); own += 60 * part[1] + part[2] } }
        END { slow = int(elapsed * processors / own + 0.5); print (slow < 1 ? 1 : slow > 8 ? 8 : slow) }' /proc/uptime "$work/times")
}

# within NAME SECONDS COMMAND...: the command must succeed in time. Tests allow twice the budget, because other checks run beside it.
within() {
    label=$1 limit=$2
    shift 2
    read_clock
    begun=$clock
    run "$@"
    read_clock
    is "$label: ends well" "$status" 0
    check "$label: in $limit s" at_least "$limit" "$(awk -v begun="$begun" -v ended="$clock" 'BEGIN { print ended - begun }')"
}

# beside NAME COMMAND...: begins these checks without waiting for them, because most of a run's time is its budget. Their files are in a
# folder of their own. finish_beside waits for all of them, and prints and counts what they found.
beside() {
    folder=$work/beside/$1
    shift
    mkdir -p "$folder"
    (
        work=$folder
        "$@"
    ) >"$folder.checks" 2>&1 &
}

finish_beside() {
    wait
    cat "$work"/beside/*.checks
    failures=$((failures + $(cat "$work"/beside/*.checks | grep -c '^FAIL')))
    rm -r "$work/beside"
}

# rows COLUMN VALUE: how many rows of $work/out have it.
rows() {
    column "$1" "$work/out" | tr ' ' '\n' | grep -cx "$2"
}

test_fits() {
    budget=$((12 * slow)) # the first round's second point has an array of gigabytes, whose pages the system clears
    within "gmem --budget $budget" $((2 * budget)) "$BUILD/gmem" --device cpu --budget "$budget" --csv -
    check "gmem --budget $budget: copies of 4 bytes by stride come first" at_least "$(rows variant stride-copy)" 2
    is "gmem --budget $budget: the rows are in the order of the variants" "$(column variant "$work/out" | tr ' ' '\n' | head -n 1)" stride-copy
    is "what is left out is said on standard error, and the command for it stands alone" "$(grep -cE \
        -e '^gmem: [0-9]+ of [0-9]+ rows measured; for the rest:$' -e '^    [^ ]*gmem --device cpu --csv - --full$' "$work/err") $(wc -l <"$work/err")" "2 2"
    check "and by ranges in the metadata" grep -q '^# left out: cpu .*: all [0-9]* points' "$work/out"
    check "the budget is in the metadata" grep -q "^# budget: $budget s\$" "$work/out"
    is "rows are right" "$(column verified "$work/out" | tr ' ' '\n' | sort -u)" yes
}

# One after the other: what runs beside a program counts as others' work, which would hide how long its planning takes.
test_probes() {
    budget=$((2 * slow))
    for probe in reduce apsp levels; do
        [ ! -x "$BUILD/$probe" ] || within "$probe --budget $budget" $((2 * budget)) "$BUILD/$probe" --device cpu --budget "$budget" --csv -
    done
}

# A sweep on the command line stays whole by default; with a budget on the command line it is the last thing to be thinned.
test_wishes() {
    run "$BUILD/gmem" --device cpu --variant stride-copy --width 4 --elements 64K --stride 1:40 --min-time 0.01 --max-time 0.01 \
        --csv -
    is "a sweep that was asked for stays whole" "$(column stride "$work/out")" "$(seq -s ' ' 1 40)"
    run "$BUILD/gmem" --device cpu --variant stride-copy --width 4 --elements 64K --stride 1:40 --budget 8 --csv -
    is "a row stands once, however many rounds it took" "$(column stride "$work/out" | tr ' ' '\n' | sort -n | uniq -d)" ""
    run "$BUILD/gmem" --device cpu --variant stride-copy --width 4 --elements 64K --stride 1,40 --samples 3 --csv -
    is "samples that were asked for are taken" "$(column samples "$work/out" | tr ' ' '\n' | sort -u)" 3
    within "a sweep beyond the budget" 6 "$BUILD/gmem" --device cpu --variant stride-copy --width 4 --elements 64K \
        --stride 1:4000 --budget 2 --csv -
    check "a sweep beyond the budget keeps its ends and says the rest" grep -q '^# left out: cpu stride-copy: --stride' "$work/out"
    is "a sweep beyond the budget begins with 1" "$(column stride "$work/out" | cut -d ' ' -f 1)" 1
    check "values left out are named by ranges" grep -Eq '^# left out: .* --stride [0-9,.:]*[0-9]:[0-9]+[0-9,.:]*( \([0-9]+ values\))?$' "$work/out"
    run "$BUILD/gmem" --device cpu --variant stride-copy --width 4 --elements 32M --stride 1:40 --budget 0.1 --csv -
    is "a budget that is over before the first row allows one row" "$status $(column stride "$work/out")" "0 1"
    refuses "--full and --quick" 2 "$BUILD/gmem" --device cpu --full --quick
    refuses "--full and --budget" 2 "$BUILD/gmem" --device cpu --full --budget 5
}

# A signal ends a run whose rows are not final yet. Files and streams have what is known.
test_signals() {
    set -- --device cpu --variant stride-copy --width 4 --elements 64K --stride 1:64 --budget 600 --quiet
    "$BUILD/gmem" "$@" --csv "$work/killed.csv" --json "$work/killed.json" &
    file=$!
    "$BUILD/gmem" "$@" >"$work/table" &
    table=$!
    "$BUILD/gmem" "$@" --csv - >"$work/stream.csv" &
    stream=$!
    for _ in $(seq 60); do
        sleep 1
        [ "$(grep -c '^gmem,' "$work/killed.csv" 2>"$work/null")" -lt 3 ] || break
    done
    sleep 2
    kill -KILL "$file"
    kill -INT "$table"
    kill -TERM "$table" "$stream"
    wait
    check "a run that is killed leaves its rows in a file" at_least "$(grep -c '^gmem,' "$work/killed.csv")" 3
    check "and in JSON" grep -q '"variant": "stride-copy"' "$work/killed.json"
    check "one that a signal ends prints the table of what is known" grep -Eq '^cpu +stride-copy +4 +1 ' "$work/table"
    check "and rows of CSV, below their head" test "$(grep -c '^gmem,' "$work/stream.csv") $(grep -c '^probe,' "$work/stream.csv")" != "0 0"
    is "each row once" "$(column stride "$work/stream.csv" | tr ' ' '\n' | sort -n | uniq -d)" ""
}

# A busy machine may not come to the copy within --quick's budget, so the content is looked at where the samples are counted instead.
headline_of_gmem() {
    if everything; then
        within "gmem --quick" $((15 * slow)) "$BUILD/gmem" --quick --device cpu
        check "gmem --quick ends with the headline" grep -Eq '^cpu: read [0-9.]+ GB/s' "$work/out"
    fi
    run "$BUILD/gmem" --quick --budget 600 --samples 3 --variant read,write,copy --elements 4M --device cpu --peak 50
    check "the headline names copy, read and write" grep -Eq '^cpu: read [0-9.]+ GB/s.*, write [0-9.]+ GB/s.*, copy [0-9.]+ GB/s' "$work/out"
    check "the headline says what part of the peak" grep -Eq 'copy [0-9.]+ GB/s( \+- [0-9.]+ %)?( \([a-z-]+\))* \([0-9]+ % of peak\)' "$work/out"
}

headline_of_run() {
    within "run.sh --quick" 15 env BUILD="$BUILD" sh scripts/run.sh --quick
    check "run.sh --quick prints the headline of the GPUs, or of the CPU" grep -Eq '^(cuda:0|hip:0|cpu): read ' "$work/out"
    is "run.sh --quick simulates nothing" "$(grep '^sim:' "$work/out")" ""
}

# run.sh is given less time here. What it does besides measuring takes as long again at most.
test_run() {
    within "run.sh with 8 s for the CPU" 60 env BANKSHOT_DEVICES=cpu RUN_SECONDS=8 BUILD="$BUILD" RESULTS="$work/results" sh scripts/run.sh
    check "run.sh leaves rows" test -s "$work/results/cpu/gmem.csv"
    is "run.sh says how long each phase took" "$(grep -cE '^run: .*: [0-9]+ s' "$work/err")" "$((6 + $(BANKSHOT_DEVICES=cpu probes_on cpu | wc -l)))"
    is "the README says how long run.sh measures the CPU" "$(grep -c 'RUN_SECONDS:-100' scripts/run.sh) $(tr '\n' ' ' <README.md | grep -c 'the CPU for 100 s')" "1 1"
}

measure_slowdown
test_fits
make -s >"$work/null" 2>&1 # so that no two of the runs beside each other build
if everything; then
    test_cache
    test_probes
    beside wishes test_wishes
    beside quick headline_of_run
    beside run test_run
fi
beside signals test_signals
beside headline headline_of_gmem
finish_beside
finish
