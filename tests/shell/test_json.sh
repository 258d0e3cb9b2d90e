#!/bin/sh
# --json of every probe, and docs/csv.md's ways to read the files.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

gmem=$BUILD/gmem
built "$gmem"

# device_for PROBE: one that every machine has and that can run it; nothing for links.
device_for() {
    case $1 in
    gmem | apsp | reduce | levels) echo cpu ;;
    smem) [ "$("$gmem" --list-devices 2>"$work/null" | grep -c '^sim:')" -eq 0 ] || echo sim:h200 ;;
    esac
}

# settings_for PROBE: for a short run.
settings_for() {
    case $1 in
    gmem) echo "--variant read,copy --width 4 --stride 1,2 --elements 64K" ;;
    smem) echo "--variant load,transpose-naive --width 4 --stride 1,2 --elements 4K" ;;
    levels) echo "--variant latency --footprint 4K,8K" ;;
    reduce) echo "--elements 64K" ;;
    apsp) echo "--variant cpu-tiled --vertices 200" ;;
    esac
    echo "--min-time 0 --max-time 0.02 --quiet"
}

test_probes() {
    for probe in $(probes); do
        device=$(device_for "$probe")
        [ -n "$device" ] || { skip "$probe --json" "no device here can run it"; continue; }
        # shellcheck disable=SC2046 # a list of options
        run "$BUILD/$probe" --device "$device" $(settings_for "$probe") --csv "$work/$probe.csv" --json "$work/$probe.json"
        is "$probe --json with --csv prints no table" "$status $(cat "$work/out")" "0 "
        command -v python3 >"$work/null" || { skip "$probe --json" "python3 is not here"; continue; }
        check "$probe --json follows the schema and holds what the CSV holds" \
            python3 -W ignore tests/shell/rows_json.py "$work/$probe.json" "$work/$probe.csv"
    done
}

test_streams() {
    run "$gmem" --device cpu --variant read --width 4 --stride 1 --elements 64K --min-time 0 --max-time 0.02 --quiet --json -
    is "--json -: an object on standard output" "$status $(head -c 1 "$work/out") $(tail -c 2 "$work/out" | head -c 1)" "0 { }"
    refuses "--csv and --json on standard output" 2 "$gmem" --device cpu --csv - --json -
    refuses "JSON into a folder that is not there" 2 "$gmem" --device cpu --json "$work/none/rows.json"
    echo old >"$work/old.json"
    refuses "JSON of a run that cannot start" 3 "$gmem" --device cuda:99 --json "$work/old.json"
    is "a run that cannot start leaves the old file" "$(cat "$work/old.json")" old
}

# A run that is killed leaves whole rows in a whole object.
test_killed() {
    command -v python3 >"$work/null" || { skip "JSON of a run that is killed" "python3 is not here"; return; }
    "$gmem" --device cpu --variant read --stride 1:1000 --elements 64K --min-time 0 --max-time 0.02 --quiet --json "$work/killed.json" \
        2>"$work/err" &
    pid=$!
    for _ in $(seq 100); do
        [ "$(grep -c '"probe"' "$work/killed.json" 2>"$work/null")" -gt 2 ] 2>"$work/null" && break
        sleep 0.1
    done
    kill -9 $pid
    wait $pid 2>"$work/null"
    check "a run that is killed leaves a whole object" python3 -W ignore tests/shell/rows_json.py "$work/killed.json"
    # A row of five seconds, so that the run is killed before it.
    for file in "$work/early.json" -; do
        "$gmem" --device cpu --variant read --width 4 --stride 1 --elements 64K --min-time 5 --max-time 5 --quiet --json "$file" \
            >"$work/stream.json" 2>"$work/err" &
        pid=$!
        [ "$file" != - ] || file=$work/stream.json
        for _ in $(seq 100); do
            grep -q '"rows"' "$file" 2>"$work/null" && break
            sleep 0.1
        done
        kill -9 $pid
        wait $pid 2>"$work/null"
        is "$(basename "$file") of a run that is killed before its first row" \
            "$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["rows"]))' "$file" 2>&1 | tail -n 1)" 0
    done
}

# A full disk ends a run, and the rows before are still a whole object.
test_full() {
    # shellcheck disable=SC2016 # the script's own
    refuses "JSON on a full disk" 1 sh -c 'ulimit -f 100; exec "$@"' sh "$gmem" --device cpu --variant read --stride 1:1000 \
        --elements 1K --min-time 0 --max-time 0.001 --samples 3 --quiet --json "$work/full.json"
    command -v python3 >"$work/null" || { skip "JSON on a full disk stays whole" "python3 is not here"; return; }
    check "JSON on a full disk stays whole" python3 -W ignore tests/shell/rows_json.py "$work/full.json"
}

# --explain knows each column by its name in the CSV, and the columns of a table by their headings.
test_explain() {
    sed -n '/^probe,/{s/,/\n/gp;q;}' "$work/gmem.csv" >"$work/columns"
    unknown=
    while read -r column; do
        "$gmem" --explain "$column" >"$work/out" 2>"$work/err" && [ "$(wc -l <"$work/out")" -ge 2 ] || unknown="$unknown $column"
    done <"$work/columns"
    check "the CSV has columns" at_least "$(wc -l <"$work/columns")" 100
    is "--explain explains every column" "$unknown" ""
    run "$gmem" --explain "% peak"
    is "--explain takes a table's heading" "$(head -n 1 "$work/out")" "peak_pct (%)"
    refuses "--explain of no column" 2 "$gmem" --explain nonsense
}

# example LANGUAGE: the block of docs/csv.md in this language.
example() {
    awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ { inside = 0 } inside' docs/csv.md
}

# reads LANGUAGE COMMAND...: the example, run by the command in a folder with results/cpu, must name both strides and their bandwidth.
reads() {
    language=$1
    shift
    example "$language" >"$work/read/example.$language"
    (cd "$work/read" && "$@" "example.$language") >"$work/out" 2>"$work/err"
    status=$?
    is "docs/csv.md: $language: three lines" "$(grep -c . "$work/read/example.$language")" 3
    [ "$status" -eq 0 ] || { fail "docs/csv.md: $language reads the rows" "$(head -n 3 "$work/err")"; return; }
    best=$(awk -f scripts/csv.awk -f - "$work/gmem.csv" <<'END'
row["variant"] == "read" && row["stride"] == 2 { print row["bandwidth_gb_s"] }
END
)
    check "docs/csv.md: $language reads the rows" grep -qF "$best" "$work/out"
}

test_examples() {
    mkdir -p "$work/read/results/cpu"
    cp "$work/gmem.csv" "$work/gmem.json" "$work/read/results/cpu/"
    if python3 -c 'import pandas' 2>"$work/null"; then reads python python3; else skip "docs/csv.md: pandas" "it is not here"; fi
    if command -v Rscript >"$work/null"; then reads r Rscript; else skip "docs/csv.md: R" "it is not here"; fi
    if command -v gnuplot >"$work/null"; then reads gnuplot gnuplot; else skip "docs/csv.md: gnuplot" "it is not here"; fi
}

test_probes
test_streams
test_killed
test_full
test_explain
test_examples
finish
