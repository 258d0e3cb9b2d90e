#!/bin/sh
# The scripts: what they say if something is missing, and the tables that they compute.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
. scripts/lib.sh

test_tables() {
    mkdir -p "$work/results/cpu"
    cat >"$work/results/cpu/gmem.csv" <<'END'
# device: a, "b"
probe,variant,device,source,bandwidth_gb_s,gop_s,peak_pct,verified,verdict
gmem,copy,"a, ""b""",measured,25,,100,yes,noisy
gmem,copy,"a, ""b""",measured,12.5,,50.0,yes,ok
gmem,copy,"a, ""b""",measured,80,,320,yes,cache-resident+above-peak
gmem,copy,"a, ""b""",measured,90,,360,no,unverified
END
    cat >"$work/results/cpu/apsp.csv" <<'END'
probe,variant,kernel,vertices,bandwidth_gb_s,gop_s,peak_gop_s,verified,verdict
apsp,cpu-peak,all,,,400,400,,ok
apsp,unrolled,phase3,4096,9000,300,,,ok
apsp,unrolled,all,4096,,200,400,yes,ok
apsp,int16,all,4096,,500,400,yes,above-peak
END
    is "a quoted field is read whole" "$(column device "$work/results/cpu/gmem.csv" | cut -c 1-6)" 'a, "b"'
    summarize "$work/results/cpu/gmem.csv" "$work/results/none.csv" >"$work/table"
    is "the summary: device, rows, best and its part of the peak" \
        "$(awk 'NR == 2 { print $1, $2, $3, $4, $5, $6, $7 }' "$work/table")" "cpu gmem 4 25.0 GB/s 100.0 %"
    summarize "$work/results/cpu/apsp.csv" >"$work/solutions"
    is "the summary: of solutions, none above the peak" "$(awk 'NR == 2 { print $4, $5, $6, $7 }' "$work/solutions")" "200.0 GOP/s 50.0 %"
    is "the summary: verdicts" "$(sed '1d; s/.*%  //' "$work/table" | xargs)" "ok 1, noisy 1, cache-resident+above-peak 1, wrong 1"
    is "the summary: 80 columns" "$(awk 'length > 80 || / $/' "$work/table")" ""
    is "a device's folder" "$(folder_of sim:h200)" sim-h200
}

# run_script OPTION...: scripts/run.sh with a gmem that writes one row, or none, and a make that builds nothing.
run_script() {
    run env PATH="$work/path:$PATH" BUILD="$work/a build" RESULTS="$work/my results" BANKSHOT_DEVICES=cpu "$@" sh scripts/run.sh
}

test_run() {
    mkdir -p "$work/path" "$work/a build"
    printf '%s\n' '#!/bin/sh' >"$work/path/make"
    cat >"$work/a build/gmem" <<'END'
#!/bin/sh
[ "$1" != --quick ] || exit 0
[ -z "${FAKE_FAILS:-}" ] || { echo "gmem: it fails: mend it" >&2; exit 3; }
while [ "$1" != --csv ]; do shift; done
printf '%s\n' '# rows: 1 of 8' 'probe,variant,device,source,bandwidth_gb_s,peak_pct,verified,verdict' 'gmem,copy,a CPU,measured,25,50,yes,ok' >"$2"
END
    cat >"$work/a build/report" <<'END'
#!/bin/sh
folder=$1
while [ $# -gt 0 ] && [ "$1" != -o ]; do shift; done
[ $# -eq 0 ] || echo "a page of $folder" >"$2"
END
    printf '%s\n' '#!/bin/sh' 'echo "compared $2 $3"' >"$work/a build/compare"
    chmod +x "$work/path/make" "$work/a build/gmem" "$work/a build/report" "$work/a build/compare"
    link=$(sh scripts/build/plain_path.sh "$work/a build")
    run_script
    is "run.sh: folders with a space in their names" "$status $(grep -c '^cpu  *gmem  *1 ' "$work/out")" "0 1"
    is "run.sh: a line for each phase with its seconds" "$(grep -c '^run: .*: [0-9]* s' "$work/err")" 7
    check "run.sh: says how many rows were measured" grep -qxF '1 of 8 rows measured; for the rest: sh scripts/run.sh --full' "$work/out"
    check "run.sh: says where the CSV files are" grep -qF "CSV files: $work/my results/DEVICE/PROBE.csv" "$work/out"
    is "run.sh: the last line names the page" "$(tail -n 1 "$work/out") $(cat "$work/my results/report.html")" \
        "All of it, for a browser: $work/my results/report.html a page of $work/my results"
    run_script FAKE_FAILS=1
    is "run.sh: the table shows no row of an earlier run" "$status $(grep -c '^cpu  *gmem' "$work/out")" "1 0"
    is "run.sh: what an earlier run measured is kept" "$(column variant "$work/my results/cpu/gmem.csv")" copy
    rm -f "$link"
}

test_batch() {
    refuses "batch.sh without its folder" 2 sh scripts/batch.sh
    printf '%s\n' device,footprint_kib,cycles_median X,9,30 X,64,200 X,1000,500 >"$work/curve.csv"
    printf '%s\n' variant,footprint_bytes,latency_cycles latency,9216,30 latency,65536,210 latency,1024000,500 >"$work/predicted.csv"
    is "a published footprint is the nearest as a number" "$(awk -v probe=x -v device=X -v scale=1 -f scripts/csv.awk -f model/experiments/validate_groups.awk \
        -f model/experiments/validate_levels.awk "$work/curve.csv" "$work/predicted.csv" | awk '{ print $3, $6 }')" "3 +5.0"
    refuses "validate.sh without such a folder" 2 sh scripts/validate.sh "$work/none"
    for probe in $(probes); do
        # One that the simulator cannot run is checked on the CPU, and one that needs a GPU in test_links.sh.
        device=$(printf '%s\n' sim:h200 cpu | grep -Ev "$(left_out "$probe" | grep . || echo '^$')" | head -n 1)
        [ -n "$device" ] || continue
        settings_for_sanitizer racecheck "$probe" >"$work/runs"
        while read -r settings; do
            # Of the grids one block is simulated, because only the options are tested here. levels needs all of a footprint.
            case $probe in levels) few= ;; *) few="--sim-blocks 1" ;; esac
            # shellcheck disable=SC2086 # lists of options
            run "$BUILD/$probe" --device "$device" $settings $few --quiet --csv "$work/$probe.csv"
            case "$status $(cat "$work/err")" in
            # The CPU lacks paths that GPUs have, and says so only after all options were found to be right.
            # So is a footprint that suits a GPU, where the simulator has a larger one.
            "3 $probe: cpu has no such path: "* | "2 $probe: "*" is too small to simulate: "*) ok "batch.sh: the options that $probe is checked with" ;;
            *) is "batch.sh: what $probe is checked with" "$status $(cat "$work/err")" "0 " ;;
            esac
        done <"$work/runs"
    done
    for device in sim:h200 sim:mi210; do # whose paths differ
        has_simulator || continue
        # shellcheck disable=SC2046 # a list of options
        run "$BUILD/levels" --device "$device" $(budget_settings levels "$device" 1) --quiet --csv "$work/levels.csv"
        is "run.sh: levels on $device" "$status" 0
        # shellcheck disable=SC2046 # a list of options
        run "$BUILD/gmem" --device "$device" $(budget_settings gmem "$device" 3) --quiet --csv "$work/gmem.csv"
        # shellcheck disable=SC2016 # a script of awk's
        echo 'row["variant"] == "stride-copy" && row["width_bytes"] == 4 { print row["stride"] }' >"$work/strides.awk"
        is "run.sh: gmem on $device shows every stride of width 4 within a third of its time" \
            "$(awk -f scripts/csv.awk -f "$work/strides.awk" "$work/gmem.csv" | paste -sd ' ' -)" "1 2 4 8 16 32 64"
    done
}

# results NAME EXPECTED SCRIPT: the results that test.sh counts for a group that runs SCRIPT, in one line.
results() {
    mkdir -p "$work/build/tests/logs"
    echo "$3" >"$work/group.sh"
    run env BUILD="$work/build" sh scripts/test_group.sh group 1 sh "$work/group.sh"
    is "a group that $1" "$(paste -sd ';' "$work/build/tests/logs/group.results")" "$2"
}

test_groups() {
    results "passes" "ok group: one;SKIP group: two: no part" "echo ok one; echo SKIP two: no part"
    results "passes, by cmocka" "ok group: one;ok group: two" "echo 1..2; echo ok 1 - one; echo ok 2 - two"
    results "skips, by cmocka" "ok group: one;SKIP group: two" "echo 1..2; echo ok 1 - one; echo not ok 2 \# SKIP two"
    results "fails" "ok group: one;FAIL group: two" "echo ok one; echo FAIL two; exit 1"
    check "what failed is shown" grep -q '^FAIL group: two$' "$work/out"
    run env BUILD="$work/build" sh scripts/test_group.sh group 5 sh -c 'echo FAIL two; echo "    found: 3"; yes "ok more" | head -n 40; exit 1'
    is "and what it printed, however much follows" "$(grep -c 'found: 3' "$work/out") $(grep -c 'ok more' "$work/out")" "1 0"
    run env BUILD="$work/build" sh scripts/test_group.sh group 5 sh -c 'echo ok one; echo "a crash"; exit 139'
    check "and what came last, if no test failed" grep -q 'a crash' "$work/out"
    results "fails in its last words" "ok group: one;FAIL group: ended with status 3" "echo ok one; exit 3"
    results "ends too early" "ok group: one;FAIL group: ran 1 of 2 tests" "echo 1..2; echo ok 1 - one"
    results "says nothing" "FAIL group: ran 0 of 0 tests" ":"
    results "hangs" "ok group: one;FAIL group: stopped after its time limit" "echo ok one; sleep 60"
}

# The table of groups names tests that are there, in words that test.sh knows, and says what each is for.
test_list() {
    grep -v '^#\|^$' tests/groups | while read -r name size order seconds why; do
        file=${name#sanitized-}
        file=${file%%:*}
        case $file in
        *'*') ;;
        *.sh) [ -f "tests/shell/$file" ] || echo "$name: no such test" ;;
        *) [ -f "tests/unit/$file.c" ] || echo "$name: no such test" ;;
        esac
        case "$size $order" in
        small' '[1-4] | part' '[1-4] | all' '[1-4] | small' 'alone | part' 'alone) ;;
        *) echo "$name: $size $order" ;;
        esac
        [ -n "$why" ] && [ "$seconds" != "${seconds%:}" ] || echo "$name: what is it for?"
    done >"$work/groups"
    is "every line of tests/groups is a test" "$(cat "$work/groups")" ""
}

# Each script that a user starts says what it does, and refuses an option that it does not know.
test_help() {
    for script in scripts/batch.sh scripts/compare_ways.sh scripts/fleet.sh scripts/pack.sh scripts/predictions.sh scripts/rules.sh scripts/run.sh \
        scripts/same_rows.sh scripts/setup.sh scripts/test.sh scripts/validate.sh scripts/validate_tables.sh plots/compare.sh plots/draw.sh; do
        run sh "$script" --help
        is "$script --help" "$status $(cat "$work/err")" "0 "
        check "$script --help says how it is called" grep -Eq "$script|bankshot [a-z]+ " "$work/out"
        refuses "$script: unknown option" 2 sh "$script" --nonsense
    done
    # shellcheck disable=SC2016 # for the inner shell
    run sh -c 'cd "$1" && sh "$2" --help' sh "$work" "$PWD/plots/draw.sh"
    is "--help in another folder" "$status $(head -n 1 "$work/out" | cut -d ' ' -f 1)" "0 Draws"
}

test_help
test_tables
test_list
test_run
test_batch
test_groups
finish
