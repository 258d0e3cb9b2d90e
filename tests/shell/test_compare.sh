#!/bin/sh
# compare: verdicts on files whose truth is known, and what it says of files that are no results.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

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

# Samples that spread more and more: an interval is told by its ends once it is larger than the ratio.
test_wide_intervals() {
    for noise in 20 29.8 35 99; do
        awk -v noise=$noise -f scripts/csv.awk -f - "$h200" >"$work/wide-$noise.csv" <<'END'
!headed { line = ""; for (i = 1; i <= columns; i++) line = line (i > 1 ? "," : "") header[i]; print line; headed = 1 }
{
    row["noise_pct"] = noise
    row["time_ns_p25"] = row["time_ns_median"] * (1 - noise / 150)
    row["time_ns_p75"] = row["time_ns_median"] * (1 + noise / 150)
    row["samples"] = 6
    row["time_ns_low"] = row["time_ns_high"] = row["effective_samples"] = ""
    line = ""
    for (i = 1; i <= columns; i++)
        line = line (i > 1 ? "," : "") row[header[i]]
    print line
}
END
    done
    run "$compare" "$work/wide-99.csv" "$work/wide-20.csv"
    check "what no ends can tell is too noisy" grep -q ' too noisy unsure spread$' "$work/out"
    run "$compare" "$work/wide-35.csv" "$work/wide-20.csv"
    is "no interval is larger than its ratio" "$(grep -cE '[0-9]{3,}%' "$work/out")" 0
    check "a wide one is told by its ends" grep -Eq ' [0-9.]+ to [0-9.]+ unsure' "$work/out"
    check "and the head says so" grep -qx 'Where +- would be 100 % or more, the interval of B/A itself stands there.' "$work/out"
    run "$compare" "$work/wide-29.8.csv" "$work/wide-20.csv"
    check "nor is one rounded to it" grep -q ' 0.41 to 2.4 unsure spread$' "$work/out"
    is "the table is 80 columns wide with wide intervals" "$(awk 'length > 80' "$work/out")" ""
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
    run "$compare" results/sim-h200 results/sim-mi210 --csv -
    is "two predicted parts differ beyond their expected errors, or not surely" "$(sed '1,/^a,b,/d' "$work/out" | awk -F , '$(NF - 1) !~ /^only/ {
        print $(NF - 1), $NF }' | sort -u | xargs)" "slower unsure prediction"
    cat "$work/h200.csv" >"$work/both.csv"
    sed '/^#/d; /^probe,/d' "$work/mi210.csv" >>"$work/both.csv"
    run "$compare" --by device "$work/both.csv"
    is "--by device compares the devices of a file" "$(head -n 2 "$work/out" | tr '\n' ' ')" "A: h200 B: mi210 "
    refuses "--by device with one device" 2 "$compare" --by device "$h200"
}

# rows_with VALUE: a row with this value in the column $key, which every other column of the row leaves alone.
rows_with() {
    case $key in
    probe) echo "probe,variant,device,verdict,samples,time_ns_median,noise_pct"; echo "$1,copy,x,ok,10,100,0.1" ;;
    variant) echo "probe,variant,device,verdict,samples,time_ns_median,noise_pct"; echo "gmem,$1,x,ok,10,100,0.1" ;;
    *) echo "probe,variant,device,$key,verdict,samples,time_ns_median,noise_pct"; echo "gmem,copy,x,$1,ok,10,100,0.1" ;;
    esac
}

# Only rows that are the same work are paired: each key column of bench/columns.h tells rows apart.
test_keys() {
    sed -n 's/^\(KEY\|SIZE\|FOUND\)_[A-Z]*(\([a-z0-9_]*\).*/\2/p' bench/columns.h >"$work/keys"
    check "the columns name what was run" at_least "$(grep -c . "$work/keys")" 30
    while read -r key; do
        rows_with 1 >"$work/one.csv"
        rows_with 2 >"$work/two.csv"
        run "$compare" "$work/one.csv" "$work/one.csv"
        equal=$status
        run "$compare" "$work/one.csv" "$work/two.csv"
        [ "$equal $status" = "0 2" ] || echo "$key"
    done <"$work/keys" >"$work/alike"
    is "rows that differ in any of them do not join" "$(cat "$work/alike")" ""
    for launch in graph stream; do
        awk -v want=$launch -F , '/^#/ || !headed { if (!/^#/) { headed = 1; for (i = 1; i <= NF; i++) if ($i == "launch") at = i } print; next }
            $at == want' results/h200/apsp-launch.csv >"$work/$launch.csv"
    done
    run "$compare" "$work/graph.csv" "$work/stream.csv"
    is "launches by a graph and by a stream are other work" "$status $(grep -c '^Only in' "$work/out")" "2 2"
    awk -F , '/^#/ { next } !headed { headed = 1; for (i = 1; i <= NF; i++) if ($i == "traffic_pct") at = i; print; next }
        $2 == "loaded-latency" { print }' results/h200/levels.csv >"$work/loaded.csv"
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "traffic_pct") at = i } $at != 20' "$work/loaded.csv" >"$work/less.csv"
    totals "$work/loaded.csv" "$work/less.csv"
    is "a curve of loaded latencies beside itself less one amount of traffic" "$joined $same $status" "$(($(wc -l <"$work/less.csv") - 1)) $joined 0"
    # The same curve from a version of bankshot that does not say the traffic: equal numbers of rows pair in order, others not.
    for file in loaded less; do
        awk -F , -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "traffic_pct") at = i } { $at = NR == 1 ? "other" : ""; print }' "$work/$file.csv" >"$work/$file-untold.csv"
    done
    totals "$work/loaded-untold.csv" "$work/loaded-untold.csv"
    is "rows that look alike pair in order where both sides have as many" "$joined $same" "$(($(wc -l <"$work/loaded.csv") - 1)) $joined"
    run "$compare" "$work/loaded-untold.csv" "$work/less-untold.csv"
    is "and not at all where they have not" "$status" 2
}

# A file of a version with fewer columns joins by the columns that both have, if they tell the rows apart.
test_versions() {
    head='probe,variant,device,stride,verdict,samples,time_ns_median,noise_pct'
    printf '%s\n' "$head" gmem,copy,x,1,ok,10,100,0.1 gmem,copy,x,2,ok,10,200,0.1 >"$work/old.csv"
    { printf '%s\n' "$head,launch,parameters" && printf 'gmem,copy,x,%s\n' 1,ok,10,100,0.1,graph,rounds=4 2,ok,10,200,0.1,graph, 2,ok,10,200,0.1,stream,; } >"$work/new.csv"
    totals "$work/old.csv" "$work/new.csv"
    is "an older file joins where its columns decide" "$joined $same" "1 1"
    is "the columns that it lacks are named" "$(tr '\n' ' ' <"$work/out" | grep -c 'One side lacks launch, parameters: 1 row may')" 1
    run "$compare" "$work/old.csv" "$work/new.csv" --csv -
    is "so they are in the CSV" "$(grep -c '^# unknown column: \(launch\|parameters\),' "$work/out")" 2
    run "$compare" "$work/old.csv" "$work/new.csv" --json -
    check "and in the JSON" grep -q '"parameters"' "$work/out"
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

# A CPU of which every row is as much slower: no row can be told from a slower run, but the status says it.
test_cpu() {
    for factor in 1 1.5 2 4 0.5; do
        awk -v factor=$factor 'BEGIN {
            print "probe,variant,backend,device,stride,verdict,samples,time_ns_median,time_ns_min,noise_pct"
            for (i = 1; i <= 30; i++) print "gmem,copy,cpu,x," i ",ok,10," factor * (1000 + i % 7) "," factor * 990 ",0.5"
        }' >"$work/cpu-$factor.csv"
    done
    for factor in 1.5 2 4; do
        totals "$work/cpu-1.csv" "$work/cpu-$factor.csv"
        is "a CPU whose rows all take $factor times as long" \
            "$status $unsure $(grep -c '^All rows of single runs of a CPU moved alike.*give three runs' "$work/out")" "1 30 1"
    done
    totals "$work/cpu-1.csv" "$work/cpu-0.5.csv"
    is "one whose rows all take half as long" "$status $(grep -c 'moved alike, by 2: ' "$work/out")" "0 1"
    totals "$work/cpu-1.csv" "$work/cpu-1.csv"
    is "one that did not change" "$status $(grep -c 'moved alike' "$work/out")" "0 0"
    mkdir "$work/cpu-a" "$work/cpu-b"
    for run in 1 2 3; do cp "$work/cpu-1.csv" "$work/cpu-a/$run.csv" && cp "$work/cpu-1.5.csv" "$work/cpu-b/$run.csv"; done
    totals "$work/cpu-a" "$work/cpu-b"
    is "three runs of each decide" "$slower $status" "30 1"
}

# one_row FIELDS: a file with one row.
one_row() {
    printf 'probe,variant,device,part,source,verdict,samples,time_ns_median,noise_pct,effective_samples,drift_pct,modes_pct,waited_pct\n%s\n' "$1"
}

test_samples() {
    one_row gmem,copy,x,h200,measured,ok,50,100,0.1,50,0,0, >"$work/good.csv"
    for case in 'correlated:ok,50,115,0.1,2,0,0,' 'drift:ok,50,115,0.1,50,-20,0,' 'modes:ok,50,115,0.1,50,0,20,' \
        'waited:waited,50,115,0.1,50,0,0,' 'waited:ok,50,115,0.1,50,0,0,3' 'noisy:noisy,50,109,20,50,0,0,' \
        'runs:ok,50,105,0.1,50,0,0,'; do
        one_row "gmem,copy,x,h200,measured,${case#*:}" >"$work/row.csv"
        run "$compare" "$work/good.csv" "$work/row.csv" --csv -
        is "a row is unsure because of ${case%%:*}" "$status $(tail -n 1 "$work/out" | sed 's/.*,\([a-z]*,[a-z]*\)$/\1/')" "0 unsure,${case%%:*}"
    done
    one_row gmem,copy,x,h200,measured,noisy,50,150,5,50,2,3, >"$work/row.csv"
    run "$compare" "$work/good.csv" "$work/row.csv"
    is "what is beyond the interval, the drift and the groups is slower, noisy or not" "$status" 1
    sed 's/measured/predicted/' "$work/good.csv" >"$work/predicted.csv"
    sed 's/measured/predicted/; s/,100,/,120,/' "$work/good.csv" >"$work/slower.csv"
    run "$compare" "$work/predicted.csv" "$work/slower.csv"
    is "predictions have no interval" "$status $(grep -c '0\.00%' "$work/out") $(grep -c '0\.833 *slower' "$work/out")" "1 0 1"
}

test_brief() {
    run "$compare" results/h200 results/h100 --brief
    check "--brief has 40 lines at most" [ "$(wc -l <"$work/out")" -le 40 ]
    is "and 80 columns" "$(awk 'length > 80' "$work/out")" ""
    "$compare" results/h200 results/h100 >"$work/full"
    is "the means are those of the whole table" \
        "$(sed -n '/^Geometric/,/^$/p' "$work/out" | tr -d ',' | xargs -n 1 | grep -c '^[0-9]*\.[0-9][0-9][0-9]$')" \
        "$(sed -n '/^Geometric/,/^$/p' "$work/full" | grep -c '^ *[0-9]*\.[0-9][0-9][0-9]  ')"
    check "they come before the rows" sh -c 'head -n 9 "$1" | grep -q "^Geometric"' sh "$work/out"
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
    sed 's/^\([^,]*\),/\1,\1,/' results/published/latency.csv >"$work/latency.csv"
    refuses "a published table with a column twice" 2 "$compare" "$h200" "$work/latency.csv"
    check "it names the column" grep -q 'the column device is there twice' "$work/err"
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
    check "which is said" grep -q "; left out: 1 file of another kind\$" "$work/out"
    mkdir "$work/runs/two" && sed 's/^# cuda:0 /# cuda:1 /' "$h200" >"$work/runs/two/2.csv"
    totals "$work/runs/two/2.csv" "$h200"
    is "a GPU beside another of its name" "$joined $status" "$(grep -c '^smem,' "$h200") 0"
    cp "$h200" "$work/runs/two/1.csv"
    refuses "a folder with runs of two GPUs of one name" 2 "$compare" "$work/runs/two" "$h200"
    check "both are named" grep -q 'cuda:0 and cuda:1' "$work/err"
    refuses "two GPUs of one name by device" 2 "$compare" --by device "$work/runs/two/1.csv" "$work/runs/two/2.csv"
    check "they, too" grep -q 'cuda:0 and cuda:1' "$work/err"
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
    printf "${head}gmem,copy,x,measured,ok,10,5,0.1" >"$work/torn.csv"
    run "$compare" "$h200" "$work/torn.csv"
    is "a file whose only row is torn" "$status $(grep -c 'torn, and left out' "$work/err") $(grep -c 'no row in it' "$work/err")" "2 1 1"
    printf "${head}gmem,copy,x,measured,ok,10,5,0.1\ngmem,copy,x,meas" >"$work/torn.csv"
    run "$compare" "$work/torn.csv" "$work/torn.csv"
    is "a torn last line behind a whole one" "$status $(grep -c '1 same' "$work/out")" "0 2"
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
        for (i = 0; i < 300000; i++) print "gmem,copy,x,measured," i ",ok,10," 100 + i % 7 ",0.1"
    }' >"$work/many.csv"
    totals "$work/many.csv" "$work/many.csv"
    is "300,000 rows" "$joined $same $status" "300000 300000 0"
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
    # shellcheck disable=SC2016 # the script's own
    run sh -c 'ulimit -v 60000; exec "$@"' sh "$compare" "$work/alike.csv" "$work/alike.csv"
    is "too little memory is no slowdown: status 2 and one line" "$status $(wc -l <"$work/err" | tr -d ' ') $(grep -c 'out of memory' "$work/err")" "2 1 1"
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
    "$compare" results/h200 results/h100 --csv "$work/ratios.csv" >"$work/null"
    run sh plots/compare.sh "$work/ratios.csv" "$work/chart.svg"
    is "no text of the chart lies upon another or is cut off" "$status $(awk -f tests/shell/svg_overlaps.awk "$work/chart.svg")" "0 "
    check "the chart leaves no file of points" [ ! -e "$work/chart.svg.points" ]
}

test_verdicts
test_real_runs
test_wide_intervals
test_reasons
test_keys
test_versions
test_cpu
test_samples
test_brief
test_devices
test_published
test_folders
test_json
test_bad_input
test_many_rows
test_chart
mutate "CSV files" fuzz_compare tests/data/compare/*
finish
