#!/bin/sh
# compare: verdicts on files whose truth is known, and what it says of files that are no results.
cd "$(dirname "$0")/../.." || exit 1
. tests/programs/lib.sh

compare=$BUILD/compare
built "$compare"
h200=$work/h200/smem.csv # without rows that no comparison can be sure of
mkdir "$work/h200" && grep -v ',noisy$' results/h200/smem.csv >"$h200"

# totals FILE...: compares them and sets $joined, $same, $faster, $slower and $unsure.
totals() {
    run "$compare" --brief "$@"
    tail -n 1 "$work/out" | awk '{ print $1, $3, $5, $7, $9 }' >"$work/totals"
    read -r joined same faster slower unsure <"$work/totals"
}

# changed SPEED [CONDITION]: the measured rows of an H200, faster by this factor in every figure where the condition of awk holds.
changed() {
    awk -v speed="$1" -f scripts/csv.awk -f - "$h200" <<END
BEGIN { times = "time_ns_median time_ns_min time_ns_max"; split("bandwidth_gb_s gop_s " times, name, " ") }
FNR == 1 || !headed { line = ""; for (i = 1; i <= columns; i++) line = line (i > 1 ? "," : "") header[i]; if (!headed++) print line }
{
    factor = ${2:-1} ? speed : 1
    for (i in name)
        if (row[name[i]] != "")
            row[name[i]] *= name[i] ~ /^time/ ? 1 / factor : factor
    line = ""
    for (i = 1; i <= columns; i++)
        line = line (i > 1 ? "," : "") row[header[i]]
    print line
}
END
}

test_verdicts() {
    rows=$(grep -c '^smem,' "$h200")
    totals "$h200" "$h200"
    is "a run with itself: all the same" "$joined $same $faster $slower $unsure $status" "$rows $rows 0 0 0 0"
    is "a run with itself: nothing is said of tests" "$(grep -c 'tested$' "$work/out") $(grep -c 'No row is tested' "$work/out")" "0 1"
    is "and --brief has no heading without rows" "$(grep -c '^what was run' "$work/out")" 0
    changed 0.97 >"$work/slow.csv"
    totals "$h200" "$work/slow.csv"
    is "a slowdown of 3 %: status 1" "$status" 1
    check "a slowdown of 3 % is found in 95 % of the rows" at_least "$slower" $((rows * 95 / 100))
    is "a slowdown of 3 %: no row is same or faster" "$same $faster" "0 0"
    totals "$work/slow.csv" "$h200"
    check "the other way round it is faster" at_least "$faster" $((rows * 95 / 100))
    is "faster: status 0" "$status" 0
    changed 0.97 'row["variant"] == "store"' >"$work/store.csv"
    run "$compare" "$h200" "$work/store.csv" --csv -
    is "only the variant that is slower is called slower" \
        "$(awk -F , '$(NF - 1) == "slower" { print $4 }' "$work/out" | sort -u)" store
    run "$compare" "$h200" "$work/store.csv" --json "$work/store.json"
    check "the geometric mean of that variant is 0.970" grep -q '^ *0\.970  smem store on h200' "$work/out"
    is "the table is 80 columns wide" "$(awk 'length > 80' "$work/out")" ""
    totals "$h200" "$work/slow.csv" --threshold 5
    is "--threshold 5: 3 % is no difference" "$same $faster $slower $status" "$rows 0 0 0"
}

# verdicts FOLDER_A FOLDER_B CONDITION: of the pairs of runs I and J that the shell's condition names, the numbers of rows, of rows called
# faster or slower, of slower ones and of noisy ones.
verdicts() {
    for i in 1 2 3 4 5 6 7 8; do
        for j in 1 2 3 4 5 6 7 8; do
            if test "$i" "$3" "$j"; then "$compare" "$1/$i.csv" "$2/$j.csv" --csv -; fi
        done
    done | awk -F , '/^tests/ { rows++; slower += /,slower,/; different += /,(slower|faster),/; noisy += /,noisy$/ } END { print rows, different + 0, slower + 0, noisy + 0 }'
}

# Real runs of one H200 (tests/data/compare/README.md): none is called different from another, and a kernel that moves 3 % more bytes is
# found.
test_real_runs() {
    runs=tests/data/compare
    for folder in base busy; do
        is "28 pairs of runs of one GPU, $folder host: no false alarm" "$(verdicts $runs/$folder $runs/$folder -lt | cut -d ' ' -f 1,2)" "504 0"
    done
    verdicts $runs/base $runs/slow -eq >"$work/found"
    read -r rows different slower noisy <"$work/found"
    is "8 pairs with 3 % more bytes: all rows that are not noisy are slower" "$rows $different" "144 $slower"
    check "that is 95 % of them" at_least "$slower" $(((rows - noisy) * 95 / 100))
    totals $runs/base $runs/slow
    is "repeated runs: all rows are slower" "$joined $slower $status" "18 18 1"
    totals $runs/base $runs/busy
    is "repeated runs beside a busy host: all rows are the same" "$joined $same $status" "18 18 0"
}

test_reasons() {
    changed 0.9 | sed 's/,ok$/,throttled/' >"$work/throttled.csv"
    run "$compare" "$h200" "$work/throttled.csv" --csv "$work/all.csv"
    is "a throttled row is unsure" "$status $(awk -F , '/,smem,/ { print $(NF - 1), $NF }' "$work/all.csv" | sort -u)" \
        "0 unsure throttled"
    is "CSV beside the table" "$(head -n 1 "$work/out" | cut -c 1-3)" "A: "
    changed 1 | awk -F , -v OFS=, 'NR > 1 && NR % 2 { next } 1' >"$work/half.csv"
    run "$compare" "$h200" "$work/half.csv" --csv -
    is "rows of one side alone are listed" "$(grep -c ',only-a,$' "$work/out") $(grep -c ',only-b,$' "$work/out")" \
        "$(($(grep -c '^smem,' "$h200") / 2)) 0"
}

test_devices() {
    for device in sim:h200 sim:mi210; do
        "$BUILD/smem" --device $device --variant load --width 4 --stride 1:8 --quiet --csv "$work/${device#sim:}.csv" 2>"$work/err" ||
            { skip "parts and simulations" "the simulator is not built here"; return; }
    done
    run "$compare" "$h200" "$work/h200.csv" --csv -
    is "a part joins its simulation" "$(awk -F , '/,measured,predicted,/ { print $7, $8 }' "$work/out" | sort | uniq -c | awk '{ print $1, $2, $3 }')" "8 h200 h200"
    run "$compare" "$work/h200.csv" "$work/mi210.csv" --csv -
    is "a prediction of another part is never the same" "$("$compare" "$h200" "$work/mi210.csv" --csv - | grep -c ',same,')" 0
    is "one device joins another" "$(awk -F , '/,predicted,predicted,/ { print $7, $8 }' "$work/out" | sort -u)" "h200 mi210"
    cat "$work/h200.csv" >"$work/both.csv"
    sed '/^#/d; /^probe,/d' "$work/mi210.csv" >>"$work/both.csv"
    run "$compare" --by device "$work/both.csv"
    is "--by device compares the devices of a file" "$(head -n 2 "$work/out" | tr '\n' ' ')" "A: h200 B: mi210 "
    refuses "--by device with one device" 2 "$compare" --by device "$h200"
}

# joined VARIANT: of the rows of that variant in $work/published.csv that joined, how many there are, and what is wrong with them.
joined() {
    awk -v variant="$1" -f scripts/csv.awk -f - "$work/published.csv" <<'AWK'
function value(run, column) { return match(" " run, " " column "=[^ ]*") ? substr(run, RSTART + length(column) + 1, RLENGTH - length(column) - 2) + 0 : 0 }
row["variant"] != variant || row["verdict"] ~ /only/ { next }
{
    rows++
    a = value(row["run"], "footprint_bytes")
    b = row["run_b"] == "" ? a : value(row["run_b"], "footprint_bytes")
    bad += row["source_a"] != "measured" || row["source_b"] != "published" || row["device_b"] ~ /unnamed/ || row["verdict"] == "same"
    bad += a > b * 1.05 || b > a * 1.05 || value(row["run"], "stride") * value(row["run"], "width_bytes") > 256
    bad += (row["verdict"] ~ /er$/) && row["ratio"] + 0 > 1 / 1.4 && row["ratio"] + 0 < 1.4
}
END { print rows + 0, bad + 0 }
AWK
}

# Published figures of other parts join by the footprint of a curve, or where all that was run is known and the same.
test_published() {
    run "$compare" results/h200 results/published --csv "$work/published.csv"
    is "published parts beside the H200: slower" "$status" 1
    is "the table is 80 columns wide with published parts" "$(awk 'length > 80' "$work/out")" ""
    run "$compare" results/h200 results/h100
    is "the table is 80 columns wide where rows are unsure, whatever the reason" "$(awk 'length > 80' "$work/out")" ""
    for variant in latency:400 unit-bandwidth:70 bandwidth-follow:120; do
        joined "${variant%:*}" >"$work/joined"
        check "published points join the nearest of ${variant%:*}" at_least "$(cut -d ' ' -f 1 "$work/joined")" "${variant#*:}"
        is "no unlike pair of ${variant%:*} is called alike" "$(cut -d ' ' -f 2 "$work/joined")" 0
    done
    is "the published reductions that ran the same join, the others are listed" \
        "$(grep -c '^[^,]*,[^,]*,reduce,.*,rtx3080,measured,published' "$work/published.csv") $(grep -c ',unnamed AMD Instinct,.*only-b' "$work/published.csv")" "$(grep -c ^global- results/published/reduce-rtx3080.csv) 8"
    is "a ratio is that of the published figures" \
        "$(awk -F , '$4 == "latency" && $8 == "mi210" && $5 ~ /footprint_bytes=2048$/ { printf "%.1f", $13 * 1700 / 1000 }' "$work/published.csv")" 125.0
    check "two programs on one GPU differ by less than what counts as a difference" \
        awk -F , '/^gpu/ { rows++; bad += $7 > 1.4 || $7 < 1 / 1.4 } END { exit bad || rows < 20 }' results/h200/gpu-benches.csv
    run "$compare" results/published results/published
    is "published figures with themselves: all the same" "$status $(tail -n 1 "$work/out" | cut -d ' ' -f 5,6)" "0 0 faster,"
    mkdir "$work/foreign" && cp "$h200" "$work/foreign" && echo a >"$work/foreign/latency.csv"
    totals "$work/foreign" "$h200"
    is "a foreign file with a published table's name is left out" "$joined $status" "$(grep -c '^smem,' "$h200") 0"
    sed '7s/,[^,]*,/,x,/' results/published/latency.csv >"$work/latency.csv"
    refuses "a published table with a number that is none" 2 "$compare" "$h200" "$work/latency.csv"
    sed '7s/,.*//' results/published/latency.csv >"$work/latency.csv"
    refuses "a published table with a row cut short" 2 "$compare" "$h200" "$work/latency.csv"
}

# Several runs in a folder are taken together.
test_folders() {
    mkdir -p "$work/runs/a/x" "$work/runs/empty"
    cp "$h200" "$work/runs/a/1.csv"
    changed 1.001 >"$work/runs/a/x/2.csv"
    echo "a,b" >"$work/runs/a/foreign.csv"
    totals "$work/runs/a" "$h200"
    is "a folder's runs are taken together, and foreign files left out" "$joined $faster $slower $status" \
        "$(grep -c '^smem,' "$h200") 0 0 0"
    mkdir "$work/runs/two" && sed 's/^# cuda:0 /# cuda:1 /' "$h200" >"$work/runs/two/2.csv"
    totals "$work/runs/two/2.csv" "$h200"
    is "a GPU beside another of its name" "$joined $status" "$(grep -c '^smem,' "$h200") 0"
    cp "$h200" "$work/runs/two/1.csv"
    refuses "a folder with runs of two GPUs of one name" 2 "$compare" "$work/runs/two" "$h200"
    check "both are named" grep -q 'cuda:0 and cuda:1' "$work/err"
    refuses "a folder without rows" 2 "$compare" "$work/runs/empty" "$h200"
}

test_json() {
    command -v python3 >"$work/null" || { skip "JSON" "python3 is not here"; return; }
    run "$compare" "$h200" "$work/store.csv" --json -
    is "JSON holds what the CSV holds" "$(python3 -c '
import json, sys
comparison = json.load(sys.stdin)["comparisons"][0]
slower = [row for row in comparison["rows"] if row["verdict"] == "slower"]
print(comparison["slower"] == len(slower) > 0, {row["variant"] for row in slower}, comparison["only_a"])' <"$work/out")" \
        "True {'store'} []"
}

# refuses_text NAME TEXT: a file with this text is refused.
refuses_text() {
    printf "$2" >"$work/bad.csv"
    refuses "$1" 2 "$compare" "$h200" "$work/bad.csv"
}

test_bad_input() {
    head='probe,variant,device,source,verdict,samples,time_ns_median,noise_pct\n'
    refuses "one file" 2 "$compare" "$h200"
    refuses "no file" 2 "$compare"
    refuses "a file that is not there" 2 "$compare" "$h200" "$work/none.csv"
    refuses "an unknown option" 2 "$compare" "$h200" "$h200" --nonsense
    refuses "a threshold that is no number" 2 "$compare" "$h200" "$h200" --threshold x
    refuses_text "an empty file" ''
    refuses_text "a header without rows" "$head"
    refuses_text "another program's file" 'a,b\n1,2\n'
    refuses_text "a file without its last line's end" "${head}gmem,copy,x,measured,ok,10,5,0.1"
    refuses_text "a row cut short" "${head}gmem,copy,x,measured,ok\n"
    refuses_text "a number that is none" "${head}gmem,copy,x,measured,ok,10,fast,0.1\n"
    refuses_text "a quote that is not closed" "${head}gmem,\"copy,x,measured,ok,10,5,0.1\n"
    refuses_text "bytes that are no text" '\000\001\002\377\n'
    printf "# bankshot: gmem 9.9.9\n${head}gmem,copy,x,measured,ok,10,5,0.1\n" >"$work/other.csv"
    run "$compare" "$work/other.csv" "$work/other.csv"
    is "another version's file is read by the names of its columns" "$status" 0
    run "$compare" "$h200" results/h200/reduce.csv --brief
    is "sides with nothing in common: status 2 and one line" "$status $(wc -l <"$work/err" | tr -d ' ')" "2 1"
    run "$compare" "$h200" results/h200/reduce.csv --csv "$work/nothing.csv" --json "$work/nothing.json"
    is "the table says so in one line, and has no heading" \
        "$status $(grep -c '^Nothing is compared, because' "$work/out") $(grep -c '^what was run\|^B/A is' "$work/out")" "2 1 0"
    is "so do the CSV, above its columns, and the JSON" \
        "$(grep -c '^# Nothing is compared, because' "$work/nothing.csv") $(grep -c '"note": "Nothing is compared, because' "$work/nothing.json")" "1 1"
    refuses "CSV into a folder that is not there" 2 "$compare" "$h200" "$h200" --csv "$work/none/out.csv"
    refuses "JSON over the CSV" 2 "$compare" "$h200" "$h200" --csv "$work/x" --json "$work/x"
    if [ -w /dev/full ]; then
        run sh -c "'$compare' '$h200' '$h200' >/dev/full"
        is "standard output that is full" "$status $(wc -l <"$work/err" | tr -d ' ')" "2 1"
    fi
}

test_many_rows() {
    awk 'BEGIN {
        print "probe,variant,device,source,stride,verdict,samples,time_ns_median,noise_pct"
        for (i = 0; i < 1000000; i++) print "gmem,copy,x,measured," i ",ok,10," 100 + i % 7 ",0.1"
    }' >"$work/many.csv"
    totals "$work/many.csv" "$work/many.csv"
    is "a million rows" "$joined $same $status" "1000000 1000000 0"
    awk 'BEGIN {
        print "probe,variant,device,source,verdict,samples,time_ns_median,noise_pct"
        for (i = 0; i < 100000; i++) print "gmem,variant-" i ",x,measured,ok,10,100,0.1"
        for (i = 0; i < 1000; i++) print "gmem,only-" i % 2 ",x,measured,ok,10,100,0.1"
    }' >"$work/variants.csv"
    grep -v only- "$work/variants.csv" | awk 'NR == 1 { print; next } { line[NR] = $0 } END { for (i = NR; i > 1; i--) print line[i] }' >"$work/reversed.csv"
    # shellcheck disable=SC2016 # the script's own
    run sh -c 'ulimit -t 8; exec "$@"' sh "$compare" "$work/variants.csv" "$work/reversed.csv"
    is "100,000 variants take less than 8 s" "$status" 0
    is "each has its mean, in the order of B" "$(grep -c '^ *1\.000  gmem variant-' "$work/out") $(grep -m 1 '^ *1\.000  gmem' "$work/out" | awk '{ print $3 }')" "100000 variant-99999"
    is "each that only one side has is named once" "$(sed -n '/^Only/,/^$/p' "$work/out" | tr -s '\n' '|')" \
        "Only in A (1000 rows):|  gmem only-0 on x: 500 rows|  gmem only-1 on x: 500 rows|"
    { head -n 1 "$work/many.csv" && yes gmem,copy,x,measured,1,ok,10,100,0.1 | head -n 200000; } >"$work/alike.csv"
    totals "$work/alike.csv" "$work/alike.csv"
    is "many rows that ran the same" "$joined $same $status" "200000 200000 0"
}

test_chart() {
    refuses "a chart of no comparison" 2 sh plots/compare.sh "$h200" "$work/chart.svg"
    command -v gnuplot >"$work/null" || { skip "the chart of ratios" "gnuplot is not here"; return; }
    refuses "a chart of sides with nothing in common" 2 sh plots/compare.sh "$work/nothing.csv" "$work/chart.svg"
    check "it says that there is no ratio, and leaves no file" [ "$(grep -c 'has no ratio' "$work/err") $(echo "$work"/chart.svg*)" = "1 $work/chart.svg*" ]
    "$compare" "$h200" "$h200" --csv "$work/ratios.csv" >"$work/null"
    run sh plots/compare.sh "$work/ratios.csv" "$work/chart.svg"
    is "the chart has a point for each row, and one in its legend" "$status $(grep -c "xlink:href='#gpPt6'" "$work/chart.svg")" \
        "0 $(($(grep -c '^smem,' "$h200") + 1))"
    check "the chart names the variants" grep -q '>transpose-padded<' "$work/chart.svg"
    run sh plots/compare.sh "$work/published.csv" "$work/chart.svg"
    check "the chart of several devices names them" grep -q '>latency mi210<' "$work/chart.svg"
    check "the chart leaves no file of points" [ ! -e "$work/chart.svg.points" ]
}

test_verdicts
test_real_runs
test_reasons
test_devices
test_published
test_folders
test_json
test_bad_input
test_many_rows
test_chart
mutate "CSV files" fuzz_compare tests/compare/*
finish
