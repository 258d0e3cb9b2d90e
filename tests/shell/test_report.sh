#!/bin/sh
# report: pages as a browser shows them, and what it says of files that are no results.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

report=$BUILD/report
built "$report"
header=probe,variant,backend,device,arch,source,kernel,width_bytes,stride,offset,bandwidth_gb_s,verdict
row=gmem,stride-copy,cuda,x,sm_90,measured,all,4,1,0,5,ok

test_results() {
    run "$report" results -o "$work/results.html"
    is "a page of all results" "$status $(cat "$work/out" "$work/err")" "0 "
    check "it is smaller than 3.3 MB, because what many charts share is there once" at_least 3300000 "$(wc -c <"$work/results.html")"
    is "it names no other file" "$(grep -cE '(src|href)="[^#]|url\(|@import|https?://[^w]' "$work/results.html")" 0
}

test_pair() {
    for part in h200 mi210; do
        mkdir -p "$work/pair/$part"
        awk -v probe=gmem -v part=$part -v strides="1 2 4 8$([ $part = h200 ] || echo ' 256 512')" -v kinds="$([ $part = h200 ] || echo predicted)" -f tests/data/plots.awk >"$work/pair/$part/gmem.csv"
    done
    # Of the published ladder's variants this device ran only two. The yardstick's interval, which no chart draws, is wide.
    printf '%s\n' probe,variant,backend,device,arch,source,kernel,type,elements,time_ns_median,time_ns_low,time_ns_high,bandwidth_gb_s,verdict \
        'reduce,interleaved-modulo,cuda,NVIDIA H200,sm_90,measured,all,int32,1024,9,9,9,5,ok' \
        'reduce,sequential,cuda,NVIDIA H200,sm_90,measured,all,int32,1024,5,5,5,9,ok' \
        'reduce,read-limit,cuda,NVIDIA H200,sm_90,measured,all,int32,1024,5,1,9,9,ok' >"$work/pair/h200/reduce.csv"
    "$report" "$work/pair/h200" "$work/pair/mi210" -o "$work/pair.html"
}

# missed FILE...: of which files the notes say why the chart of offsets is left out of a page of these files, each with the same row.
missed() {
    mkdir "$work/missed"
    for file; do printf '%s\n%s\n' "$header" "$row" >"$work/missed/$file"; done
    "$report" "$work/missed" -o "$work/missed.html"
    rm -r "$work/missed"
    grep -o '"gmem-offset","is left out[^]]*' "$work/missed.html" | sed 's|.*/||; s|"||' | xargs
}

test_notes() {
    is "why a chart is missing" "$(missed gmem.csv)" gmem.csv
    is "why it is missing in a file of another name" "$(missed my-run.csv)" my-run.csv
    is "nobody misses it in a file beside the probe's own" "$(missed gmem.csv gmem-energy.csv)" gmem.csv
}

# latency FOOTPRINT LEVEL: the headline's latency of memory, of an H200 with this row.
latency() {
    printf '# cuda:0 memory: 150109880320 bytes, last-level cache 62914560 bytes\n%s\n%s\n' \
        probe,variant,backend,device,arch,source,op,footprint_bytes,level,latency_ns,verdict \
        "levels,latency,cuda,NVIDIA H200,sm_90,measured,load,$1,$2,345,ok" >"$work/levels.csv"
    "$report" "$work/levels.csv" -o "$work/levels.html"
    grep -o '"name":"latency of memory"[^]]*' "$work/levels.html" | grep -o '"value":345'
}

# The headline's updates of apsp, of a device with a variant and with this one for the instructions alone, which are faster.
updates() {
    printf '%s\n%s\n%s\n' probe,variant,backend,device,arch,source,kernel,gop_s,verdict \
        "apsp,$1,$3,A device,any,measured,all,350,ok" "apsp,$2,$3,A device,any,measured,all,33,ok" >"$work/apsp.csv"
    "$report" "$work/apsp.csv" -o "$work/apsp.html"
    grep -o '"name":"all-pairs shortest paths"[^]]*' "$work/apsp.html" | grep -o '"value":[0-9]*'
}

test_headline() {
    is "instructions alone are no variant on a CPU" "$(updates cpu-peak cpu-tiled cpu)" '"value":33'
    is "nor on a GPU" "$(updates min-plus-peak register-tiled cuda)" '"value":33'
    is "a level of the memory" "$(latency 1048576 memory)" '"value":345'
    is "a footprint that no cache holds" "$(latency 536870912 '')" '"value":345'
    is "a footprint that the cache may hold is none of the memory" "$(latency 100000000 '')" ""
}

test_hostile() {
    device='</script><img src=x onerror="hostile=1"> & <b>'
    printf '# host: <script>hostile=1</script>\n# cuda:0 device: %s\n%s,<i>column\n%s,"<i>"\n' "$device" "$header" \
        "$(echo "$row" | sed "s|,x,|,\"$(echo "$device" | sed 's/"/""/g; s/&/\\\&/g')\",|")" >"$work/hostile.csv"
    "$report" "$work/hostile.csv" --title '<i>hostile</i> & co' -o "$work/hostile.html"
    is "the title is text" "$(grep '^<title>' "$work/hostile.html")" '<title>&lt;i>hostile&lt;/i> &amp; co</title>'
}

# A CPU that was measured here, and a GPU beside it, whose host has the same name by chance. A GPU comes first among equals.
test_beside() {
    columns=probe,variant,backend,device,arch,source,width_bytes,stride,time_ns_median,bandwidth_gb_s,verdict
    printf '# host: %s, Linux\n%s\n%s\n' "$(uname -n)" "$columns" 'gmem,copy,cpu,AMD EPYC,avx2,measured,4,1,9,50,ok' >"$work/own.csv"
    printf '# host: %s, Linux\n%s\n%s\n' "$(uname -n)" "$columns" 'gmem,copy,cuda,NVIDIA H200,sm_90,measured,4,1,9,4300,ok' >"$work/others.csv"
    "$report" "$work/own.csv" --beside "$work/others.csv" -o "$work/beside.html"
    is "files beside the reader's own are told from them" "$(grep -o '"beside":[a-z]*' "$work/beside.html" | xargs)" "beside:false beside:true"
}

# What a browser shows of these pages; screenshots of the first stay in the build folder.
test_browser() {
    everything || return 0
    for tool in node "${CHROMIUM:-chromium}"; do
        command -v "$tool" >"$work/null" && continue
        skip "pages in a browser" "$tool is not here: sh scripts/setup.sh --tests installs it"
        return
    done
    mkdir -p "$BUILD/tests/report"
    timeout 300 node tests/browser/report_page.js results "$work/results.html" results "$BUILD/tests/report" -- \
        pair "$work/pair.html" -- hostile "$work/hostile.html" "$device" -- beside "$work/beside.html" "AMD EPYC" >"$work/checks"
    grep -v '^end$' "$work/checks"
    failures=$((failures + $(grep -c ^FAIL "$work/checks")))
    check "the browser's checks were all made" grep -q '^end$' "$work/checks"
}

# refuses_text NAME TEXT: a file with this text is refused, and no page is written.
refuses_text() {
    printf "$2" >"$work/bad.csv"
    refuses "$1" 2 "$report" "$work/bad.csv" -o "$work/bad.html"
    is "$1: no page" "$(ls "$work"/bad.html* 2>"$work/null")" ""
}

test_bad_input() {
    refuses "no folder" 2 "$report"
    refuses "a folder that is not there" 2 "$report" "$work/none"
    mkdir -p "$work/empty" "$work/foreign"
    refuses "a folder without files" 2 "$report" "$work/empty"
    echo "a,b" >"$work/foreign/a.csv"
    refuses "a folder of foreign files" 2 "$report" "$work/foreign" -o "$work/bad.html"
    refuses_text "an empty file" ''
    refuses_text "a header without rows" "$header\n"
    refuses_text "another program's file" 'a,b\n1,2\n'
    printf "$header\n$row\n$row" >"$work/torn.csv"
    run "$report" "$work/torn.csv" -o "$work/torn.html"
    is "a file without its last line's end: what is whole is shown, and one line names the rest" \
        "$status $(grep -c '^report: .*torn.csv:3: the last line is torn' "$work/err") $(wc -l <"$work/err" | tr -d ' ')" "0 1 1"
    printf "$header\n$row" >"$work/torn.csv"
    run "$report" "$work/torn.csv" -o "$work/bad.html"
    is "a file of a torn line alone" "$status $(ls "$work"/bad.html* 2>"$work/null")" "2 "
    refuses_text "a row cut short" "$header\ngmem,stride-copy\n"
    refuses_text "a number that is none" "$header\n$(echo "$row" | sed 's/,5,/,fast,/')\n"
    refuses_text "a number below 0" "$header\n$(echo "$row" | sed 's/,5,/,-5,/')\n"
    refuses_text "a quote that is not closed" "$header\n\"$row\n"
    refuses_text "a line's end in a field" "$header\n\"gmem\n\",$row\n"
    refuses_text "an empty line" "$header\n\n$row\n"
    refuses_text "bytes that are no text" '\000\001\002\377\n'
    printf "# bankshot: gmem 9.9.9\nnew_column,$header\nnew,$row\n" >"$work/other.csv"
    run "$report" "$work/other.csv" -o "$work/other.html"
    is "another version's file is read by the names of its columns" "$status $(grep -c new_column "$work/other.html")" "0 1"
    awk -v header="$header" -v row="$row" 'BEGIN { print header; for (i = 0; i < 1000000; i++) print row }' >"$work/many.csv"
    refuses "a million rows" 2 "$report" "$work/many.csv" -o "$work/bad.html"
    refuses "an output in a folder that is not there" 2 "$report" "$work/other.csv" -o "$work/none/page.html"
    mkdir -p "$work/locked"
    chmod a-w "$work/locked"
    [ -w "$work/locked" ] || refuses "an output in a folder that is locked" 2 "$report" "$work/other.csv" -o "$work/locked/page.html"
    if [ -w /dev/full ]; then
        refuses "a disk that is full" 1 "$report" "$work/other.csv" -o /dev/full
        run sh -c "'$report' '$work/other.csv' -o - >/dev/full"
        is "standard output that is full" "$status $(wc -l <"$work/err" | tr -d ' ')" "1 1"
    fi
    run "$report" "$work/other.csv" "$work/other.csv" -o -
    is "a file named twice counts once" "$status $(grep -o '"path":' "$work/out" | wc -l | tr -d ' ')" "0 1"
}

test_bad_input
test_results
test_headline
test_notes
test_pair
test_hostile
test_beside
test_browser
finish
