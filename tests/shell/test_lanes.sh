#!/bin/sh
# What lanes promises on its command line: costs, pictures, and one clear line for every bad input. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

lanes=$BUILD/lanes
built "$lanes"
header=gpu,space,op,width_bytes,active_lanes,passes,bank_conflicts,sector_bytes,sectors,lines,unique_bytes,efficiency_pct,certainty,stride,offset,l1_clocks

# costs NAME COLUMN EXPECTED STRIDES OPTION...: the column's values, one for each stride.
costs() {
    label=$1 want=$2 expected=$3 strides=$4
    shift 4
    : >"$work/csv"
    for stride in $strides; do
        "$lanes" --stride "$stride" --csv - "$@" >"$work/out" 2>"$work/err" || break
        [ -s "$work/csv" ] || head -n 1 "$work/out" >"$work/csv"
        tail -n +2 "$work/out" >>"$work/csv"
    done
    is "$label" "$(column "$want" "$work/csv")" "$expected"
}

test_figures() {
    costs "h200, 4 bytes" passes "1 2 1 4 8 16 32 1" "1 2 3 4 8 16 32 33" --gpu h200
    costs "h200, 8 bytes" passes "2 4 32 32" "1 2 16 32" --gpu h200 --width 8
    costs "h200, 2 bytes" passes "1 1 2 16" "1 2 4 32" --gpu h200 --width 2
    costs "mi210, 4 bytes" passes "2 4 2 8" "1 2 3 4" --gpu mi210
    costs "mi210, conflicts" bank_conflicts "0 2 0 6" "1 2 3 4" --gpu mi210
    costs "h200, sectors" sectors "4 8 16 32 32 32" "1 2 4 8 16 32" --gpu h200 --space global
    costs "mi210, sectors" sectors "4 8 16 32 64 64" "1 2 4 8 16 32" --gpu mi210 --space global
    costs "h200, atomics on one word, on neighbours and apart" sectors "32 4 32" "0 1 8" --gpu h200 --space global --op atomic
    costs "h200, an offset of one element" sectors "5" 1 --gpu h200 --space global --offset 1
    refuses "an atomic in shared memory" 2 "$lanes" --op atomic
    refuses "an atomic of 2 bytes" 2 "$lanes" --op atomic --space global --width 4,2 --csv -
    run "$lanes" --gpu gtx1080 --block 32x8 --pitch 32 --order column --csv -
    is "a tile of 32 columns, walked down" "$(column passes "$work/out")" 32
    run "$lanes" --gpu gtx1080 --block 32x8 --pitch 33 --order column --csv -
    is "the same, padded" "$(column passes "$work/out")" 1
    run "$lanes" --gpu gtx1080 --block 32x8 --pitch 32 --order column --swizzle --csv -
    is "the same, swizzled" "$(column passes "$work/out")" 1
}

test_addresses() {
    printf '0 4 8 . 12\r\n# a remark\n\n. .\n' >"$work/addresses"
    run "$lanes" --gpu h200 --addresses "$work/addresses" --csv -
    is "a file of addresses" "$(tail -n +2 "$work/out" | tr '\n' ' ')" \
        "h200,shared,load,4,4,1,0,,,,16,12.50,certain,,, h200,shared,load,4,0,0,0,,,,0,,certain,,, "
    is "the columns" "$(head -n 1 "$work/out")" "$header"
    run "$lanes" --gpu all --csv -
    is "a row for every GPU" "$(tail -n +2 "$work/out" | wc -l)" "$("$lanes" --list-gpus | wc -l)"
    echo 18446744073709551615 >"$work/addresses"
    run "$lanes" --gpu all --width 1 --addresses "$work/addresses" --csv -
    check "the last byte of all costs a pass on every GPU" sh -c "! grep ',shared,load,1,1,0,' '$work/out'"
    run "$lanes" --gpu h200 --width 1 --addresses "$work/addresses"
    check "its picture has that pass" grep -q '^ A  *1 ' "$work/out"
    run "$lanes" --gpu h200 --space global --op store --csv -
    is "what is not shared memory's stays empty" "$(tail -n 1 "$work/out")" \
        "h200,global,store,4,32,,,32,4,1,128,100.00,,1,0,2"
    printf '0\nword\n' >"$work/addresses"
    # shellcheck disable=SC2016 # arguments of this shell
    run sh -c '"$1" --addresses "$2" --csv - 2>&1' sh "$lanes" "$work/addresses"
    is "a fault comes after the rows before it, also in one file" "$status $(cut -c 1-5 "$work/out" | xargs)" "2 gpu,s h200, lanes"
}

test_pictures() {
    run "$lanes" --gpu h200,mi210 --stride 8 --svg "$work/readme.svg"
    check "the README's picture is what lanes draws" cmp "$work/readme.svg" docs/lanes.svg
    for request in "0: *: several lanes   .: idle bank   A: lanes served together" \
        "1:0-9 a-v: lanes 0 to 31   A: lanes served together" \
        "2 --width 16:0-9 a-v: lanes 0 to 31   .: idle bank   A to D: lanes served together !: one more pass, for a bank conflict" \
        "1 --space global:0-9 a-v: lanes 0 to 31" \
        "2 --space global:0-9 a-v: lanes 0 to 31   .: moved, not requested"; do
        # shellcheck disable=SC2086 # a list of options
        run "$lanes" --gpu h200 --stride ${request%%:*}
        text=${request#*:}
        is "the legend of stride ${request%%:*} explains the signs that occur, and no other" \
            "$(awk '!NF { text = ""; next } { text = text (text == "" ? "" : " ") $0 } END { print text }' "$work/out")" "${text# }"
    done
    run "$lanes" --gpu h200,mi210 --stride 0 --svg "$work/broadcast.svg"
    is "the SVG's legend names the colors that occur, and no other" \
        "$(grep -c 'several lanes, number of the first' "$work/broadcast.svg") $(grep -cE '>(one lane|one more pass, for a bank conflict)<' "$work/broadcast.svg")" "1 0"
    run "$lanes" --gpu h200,mi210 --stride 32
    is "two GPUs side by side end well" "$status" 0
    check "the slower one is as tall as it is slow" [ "$(grep -c '!' "$work/out")" -eq 63 ]
    is "80 columns hold it" "$(awk 'length($0) > 80' "$work/out")" ""
    check "the certainty shows" grep -q "rule: certain" "$work/out"
    run "$lanes" --gpu a100 --width 16 --stride 0
    check "an open rule says so" grep -q "rule: open" "$work/out"
    run "$lanes" --gpu mi355x,mi300x --width 16 --space global
    is "global memory" "$status" 0
    run "$lanes" --gpu h200,mi210 --svg "$work/picture.svg" --csv "$work/picture.csv"
    is "a picture beside a CSV" "$status" 0
    check "the SVG is whole" grep -q '</svg>' "$work/picture.svg"
    if command -v rsvg-convert >/dev/null; then
        check "the SVG can be drawn" rsvg-convert "$work/picture.svg" -o "$work/picture.png"
    else
        skip "the SVG can be drawn" "rsvg-convert is not installed"
    fi
    for option in --help --version --list --list-devices --list-gpus; do check "lanes $option" "$lanes" "$option"; done
    check "every GPU stands in --list-gpus" sh -c "$lanes --list-gpus | grep -q '^mi250x '"
}

# refuses_line NAME TEXT OPTION...: a file of this text must be refused.
refuses_line() {
    label=$1
    printf '%b' "$2" >"$work/bad"
    shift 2
    refuses "$label" 2 "$lanes" --addresses "$work/bad" "$@"
}

test_ranges() {
    run "$lanes" --gpu h200 --width 4,8 --stride 1:4:*2 --offset 0,1 --csv -
    is "lists and ranges" "$(column stride "$work/out" | xargs) $(column passes "$work/out" | xargs)" \
        "1 1 2 2 4 4 1 1 2 2 4 4 1 2 2 4 4 8 1 2 2 4 4 8"
    run "$lanes" --gpu h200 --stride 1:3
    is "a picture for each" "$(grep -c '^width 4, stride [123], offset 0$' "$work/out") $(grep -cE '^[0-9]+ pass' "$work/out")" "3 3"
    echo "0 4" >"$work/addresses"
    refuses "several widths of a file's addresses" 2 "$lanes" --width 4,8 --addresses "$work/addresses"
    refuses "a range with a width of 3" 2 "$lanes" --width 1:4
}

test_refusals() {
    refuses_line "a word among addresses" '0 4 x\n'
    refuses_line "a negative address" '0 -4\n'
    refuses_line "an address beyond 64 bits" '18446744073709551616\n' --width 1
    refuses_line "a fraction" '0 4.0\n'
    refuses_line "not aligned to the width" '0 4\n' --width 8
    refuses_line "33 lanes" "$(seq -s ' ' 0 4 128)\n" --gpu h200
    refuses_line "64 lanes on a warp of 32 beside one of 64" "$(seq -s ' ' 0 4 252)\n" --gpu mi210,h200
    refuses_line "an empty file" ''
    refuses_line "only remarks" '# nothing\n\n'
    refuses_line "a zero byte" '0\0004\n'
    head -c 1000000 /dev/zero | tr '\0' '4' >"$work/long"
    refuses "a line of 1 MB" 2 "$lanes" --addresses "$work/long"
    head -c 1000000 /dev/zero | tr '\0' ' ' >"$work/long"
    refuses "1 MB of blanks" 2 "$lanes" --addresses "$work/long"
    refuses "no such file" 2 "$lanes" --addresses "$work/none"
    refuses "a folder" 2 "$lanes" --addresses "$work"
    refuses "an unknown GPU" 2 "$lanes" --gpu h201
    refuses "no GPU" 2 "$lanes" --gpu ""
    refuses "three GPUs in a picture" 2 "$lanes" --gpu h200,h100,a100
    refuses "three GPUs in an SVG" 2 "$lanes" --gpu h200,h100,a100 --csv - --svg "$work/a.svg"
    refuses "a width of 3" 2 "$lanes" --width 3
    refuses "a width of 32" 2 "$lanes" --width 32
    refuses "a negative stride" 2 "$lanes" --stride -1
    refuses "a block of no threads" 2 "$lanes" --block 0x4
    refuses "a block of too many" 2 "$lanes" --block 64x32
    refuses "a block that is none" 2 "$lanes" --block 8by4
    refuses "a pitch without a block" 2 "$lanes" --pitch 33
    refuses "a swizzle without a block" 2 "$lanes" --swizzle
    refuses "a swizzle of rows of 33" 2 "$lanes" --block 32x8 --pitch 33 --swizzle
    refuses "a formula beside a file" 2 "$lanes" --addresses "$work/bad" --stride 2
    refuses "an unknown space" 2 "$lanes" --space texture
    refuses "an unknown option" 2 "$lanes" --banana
    refuses "a file that cannot be written" 2 "$lanes" --csv "$work/none/a.csv"
    refuses "a name that is longer than a message" 2 "$lanes" --csv "$(printf '%05000d' 0)"
    check "what is wrong with it stands at the end all the same" grep -q '0[.][.][.]0*: cannot be written: File name too long$' "$work/err"
    cp tools/lanes/examples/transpose.cu "$work/own.cu"
    refuses "a kernel in whose place rows would be written" 2 "$lanes" --kernel "$work/own.cu" --block 32x8 --csv "$work/own.cu"
    check "the kernel stays" cmp tools/lanes/examples/transpose.cu "$work/own.cu"
    refuses "rows and picture on one stream" 2 "$lanes" --csv - --svg -
    if [ -w /dev/full ]; then
        run "$lanes" --csv /dev/full
        is "a full disk" "$status" 1
        refuses "a full disk for rows of addresses without end" 1 \
            sh -c "yes '0 4 8' 2>'$work/null' | timeout 20 '$lanes' --addresses - --csv - >/dev/full"
        for option in --json --csv; do
            refuses "a full disk for a layout or rows: $option -" 1 \
                sh -c "'$lanes' $([ $option = --csv ] || echo --layout 32x32 --access store:row) $option - >/dev/full"
        done
    fi
    yes '0 4 8' 2>"$work/null" | head -n 1000000 >"$work/many"
    run sh -c "ulimit -v 80000; exec '$lanes' --addresses '$work/many' --csv '$work/many.csv'"
    is "more rows than memory" "$status $(wc -l <"$work/many.csv" | tr -d ' ')" "0 1000001"
    rm "$work/many" "$work/many.csv"
    run sh -c "yes '0 4 8' 2>'$work/null' | timeout 2 '$lanes' --addresses - --csv '$work/endless.csv'"
    is "addresses without end that are interrupted leave no file" "$(find "$work" -name 'endless*')" ""
    echo kept >"$work/kept"
    run "$lanes" --addresses "$work/none" --csv "$work/kept"
    is "a run that can't start leaves the file" "$(cat "$work/kept")" kept
}

# The rules are written a second time in Python, and both must agree on random requests. lanes must be twice as fast as
# Python beside it, on however busy a machine: a ratio of processor times, because both share what slows them.
test_rules() {
    if ! command -v python3 >/dev/null; then
        skip "random requests" "python3 is not installed"
        return
    fi
    if timeout 300 python3 tests/shell/rules.py --lanes "$lanes" --requests "${REQUESTS:-$(everything && echo 250000 || echo 50000)}" >"$work/rules" 2>&1; then
        ok "random requests: $(cat "$work/rules")"
        [ -n "${REQUESTS:-}" ] || check "lanes takes less than half the time of the rules in Python" awk '{ exit !(2 * $(NF - 6) < $(NF - 2)) }' "$work/rules"
    else
        fail "random requests agree with a second writing of the rules" "$(cut -c 1-300 "$work/rules")"
    fi
}

test_figures
test_addresses
test_pictures
test_ranges
test_refusals
test_rules
finish
