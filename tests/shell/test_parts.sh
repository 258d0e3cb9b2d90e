#!/bin/sh
# What parts promises: 80 columns, a certainty and a source in every cell, sentences that follow from the figures, and one clear line for
# every bad input. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

parts=$BUILD/parts
built "$parts"

# value PART FACT: the cell in $work/cells.
value() {
    awk -F , -v part="$1" -v fact="$2" '$1 == part && $2 == fact { print $3 }' "$work/cells"
}

test_table() {
    run "$parts" h200 mi300x rx7900xtx
    is "three parts: the status" "$status" 0
    is "they fit 80 columns" "$(awk 'length($0) > 80' "$work/out")" ""
    is "every cell ends with a letter" \
        "$(sed '1d; /^$/,$d' "$work/out" | grep -cvE '^.{31}( .{13} [mpdg]){3}$')" 0
    is "the titles stand above their cells" "$(sed -n '1s/^.\{40\}//p' "$work/out" | tr -s ' ')" " h200 mi300x rx7900xtx"
}

test_cells() {
    # shellcheck disable=SC2046 # a list of names
    run "$parts" --csv "$work/cells" $("$parts" --list-gpus | cut -d ' ' -f 1)
    is "every part: the status" "$status" 0
    is "every cell has a certainty and a source" \
        "$(awk -F , 'NR > 1 && ($3 == "" || $5 !~ /^(measured|published|derived|guess)$/ || length($6) < 8)' "$work/cells")" ""
    sed -n '1!s/.*,\("\{0,1\}[^",]*"\{0,1\}\)$/\1/p' "$work/cells" | tr -d '"' >"$work/links"
    is "every cell's source has a page or a file" "$(grep -nvE '^(https://|[a-z]+/)' "$work/links")" ""
    is "every file is there" "$(tr ' ' '\n' <"$work/links" | sort -u | grep -v '^https://' | while read -r file; do [ -f "$file" ] || echo "$file"; done)" ""
    is "every page's address is whole" "$(tr ' ' '\n' <"$work/links" | grep '^https:' | grep -vE '^https://[a-z0-9.-]+/[A-Za-z0-9._/-]*$')" ""
    is "as many cells for each part" "$(sed 1d "$work/cells" | cut -d , -f 1 | sort | uniq -c | awk '{ print $1 }' | sort -u | wc -l | tr -d ' ')" 1
    is "the figures of an H200" \
        "$(for fact in units warp_lanes loads_16 shared_kib sector_bytes l2_reach_mib; do value h200 "$fact"; done | tr '\n' ' ')" "132 32 8 227 32 60 "
    is "those of an MI300X" \
        "$(for fact in units warp_lanes loads_16 shared_kib sector_bytes l2_reach_mib; do value mi300x "$fact"; done | tr '\n' ' ')" \
        "304 64 8 crossed 64 128 4 "
    is "what is not published is not said to be" \
        "$(awk -F , '$2 == "l2_gb_s" && ($1 == "rtx4090" || $1 == "h200" || $1 == "mi300x") { print $1, $5 }' "$work/cells" | tr '\n' ' ')" \
        "rtx4090 guess h200 derived mi300x published "
}

test_meanings() {
    run "$parts" h200 mi300x
    check "lane masks" grep -q '^- Lane masks need 64 bits on mi300x' "$work/out"
    check "what fits both" grep -q 'one that must run on all has at most 64 KiB' "$work/out"
    is "lanes of 4 bytes are served alike: no sentence" "$(grep -c 'a 4-byte' "$work/out")" 0
    run "$parts" h200 h200
    is "equal parts: no sentence" "$(grep -c '^- ' "$work/out")" 0
    run "$parts" H200
    is "one part, in upper case: its name" "$(sed -n '1s/ //gp' "$work/out")" h200
    run "$parts" --sources h200
    check "the page below a source" grep -q '^    https://docs.nvidia.com/cuda/archive/12.6.1/cuda-c-programming-guide/$' "$work/out"
    check "a source" grep -q '^  h200: 280 clocks, measured: .*results/h200/levels.csv' "$work/out"
    if command -v python3 >/dev/null; then
        check "JSON" sh -c "'$parts' --json - h200 mi300x | python3 -c 'import json, sys; d = json.load(sys.stdin); assert len(d[\"meanings\"]) > 9'"
    else
        skip "JSON" "python3 is not installed"
    fi
}

# curl stands for the network: the first address is gone, the second turns programs away, the third does not answer.
test_sources() {
    mkdir -p "$work/bin"
    # shellcheck disable=SC2016 # the script's own
    printf '#!/bin/sh\nfor address; do :; done\necho "$address" >>%s/asked\ncase $(wc -l <%s/asked | tr -d " ") in\n1) printf 404 ;;\n2) printf 403 ;;\n3) printf 000; exit 6 ;;\n*) printf 200 ;;\nesac\n' \
        "$work" "$work" >"$work/bin/curl"
    chmod +x "$work/bin/curl"
    run env PATH="$work/bin:$PATH" BUILD="$BUILD" sh scripts/open_sources.sh
    tr ' ' '\n' <"$work/links" | grep '^https:' | sort -u >"$work/addresses"
    is "every address of a cell is opened" "$(sort "$work/asked")" "$(cat "$work/addresses")"
    is "the sources that lead nowhere, and those that no program can open" "$status $(cat "$work/out")" "1 leads nowhere (404): $(sed -n 1p "$work/addresses")
turned away (403): $(sed -n 2p "$work/addresses")
no answer: $(sed -n 3p "$work/addresses")
$(($(wc -l <"$work/addresses") - 3)) opened, 2 did not, 1 turn programs away"
}

test_changed() {
    changed=rtx4090:units=46:memory=504:l2=36M
    run "$parts" rtx4090 RTX4090,units=46,memory=504,l2=36M --csv "$work/cells"
    is "a changed part: units, memory and L2" "$(for fact in units memory_gb_s l2_mib clock_mhz; do value "$changed" "$fact"; done | tr '\n' ' ')" "46 504 36 2520 "
    is "what was given is a guess" "$(awk -F , -v part="$changed" '$1 == part && $2 ~ /^(units|clock_mhz)$/ { print $5 }' "$work/cells" | tr '\n' ' ')" "guess published "
    is "its heading" "$(sed -n '1,2s/  */ /gp' "$work/out" | tr '\n' ';')" "rtx4090*2 is $changed; rtx4090 rtx4090*2;"
    "$BUILD/gmem" --list-devices | grep -q '^sim:GPU' || { skip "rows of a changed part" "the simulator was left out"; return; }
    measure_csv "$BUILD/gmem" sim:RTX4090,units=46,memory=504,sim:rtx4090 --variant copy --width 4 --elements 16M
    is "its rows say so" "$(column part "$work/out")" "rtx4090:units=46:memory=504 rtx4090"
    is "and what was held against them" "$(column certainty "$work/out")" "derived derived"
    is "half the memory takes twice the time" "$(column predicted_ns "$work/out" | awk '{ print int($1 / $2 + 0.5) }')" 2
    measure_csv "$BUILD/levels" sim:rtx4090,sim:rtx4090,units=46,l2=36M --variant latency --footprint 16K,32M,60M
    is "levels has the row's latencies, and the L2 that is given" "$(column latency_cycles "$work/out" | awk '{ print $1, $2, $3, $4, $5, ($6 > 277) }')" \
        "36 277 277 36 277 1"
    run "$BUILD/lanes" --gpu h200,units=3,mi210 --space shared --op load --width 4 --stride 2 --csv -
    is "lanes takes one, too" "$(column gpu "$work/out")" "h200:units=3 mi210"
    refuses "a figure that is not known" 2 "$BUILD/gmem" --device sim:h200,unit=3 --variant copy
    refuses "a figure that cannot be" 2 "$BUILD/gmem" --device sim:h200,units=0 --variant copy
    refuses "no figure after a comma" 2 "$parts" h200,
    check "is said to be none" grep -q '^parts: nothing after a comma: no such figure' "$work/err"
    refuses "a figure that is given twice" 2 "$parts" h200,units=1,units=2
    check "which one is named" grep -q 'units=2: this figure is given twice' "$work/err"
    refuses "a GPU that cannot be simulated" 3 "$BUILD/gmem" --device sim:rtx4071 --variant copy
    check "the parts of its architecture are named" grep -q '(Ada) there are l4, l40, l40s, rtx4070, rtx4090;' "$work/err"
    check "what to measure is named" grep -q 'did you mean rtx40.*levels --emit-gpu' "$work/err"
}

test_bad_input() {
    refuses "no GPU" 2 "$parts"
    refuses "a GPU that is not known" 2 "$parts" h200 mi301x
    while IFS=: read -r name family; do
        refuses "$name" 2 "$parts" "$name"
        check "$name is $family" grep -qF "of its architecture ($family) there are" "$work/err"
    done <<'END'
mi308x:CDNA 3
RTX A6000:Ampere
rtx2080ti:Turing
Radeon RX 7600:RDNA 3
gfx90a:CDNA 2
GB200:Blackwell
END
    refuses "a GPU that is not known" 2 "$parts" h200 mi301x
    check "the nearest is named" grep -q 'did you mean mi30' "$work/err"
    refuses "an unknown option" 2 "$parts" h200 --frobnicate
    for option in --csv --json; do
        refuses "a folder that is not there: $option" 2 "$parts" h200 $option "$work/none/cells"
    done
    refuses "the second file cannot be written" 2 "$parts" h200 --csv "$work/first" --json "$work/none/cells"
    check "so the first one is not, either" [ ! -e "$work/first" ]
    [ ! -c /dev/full ] || refuses "a disk that is full" 1 sh -c "'$parts' h200 >/dev/full"
}

test_table
test_cells
test_sources
test_meanings
test_changed
test_bad_input
finish
