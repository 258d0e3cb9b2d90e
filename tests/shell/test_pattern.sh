#!/bin/sh
# gmem's pattern files: what they give, and what is refused. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

gmem=$BUILD/gmem
built "$gmem"
has_sim=$("$gmem" --list-devices 2>/dev/null | grep -c "^sim:")
has_json=$("$gmem" --device cpu --variant pattern --pattern tests/data/patterns/spatter.json --min-time 0 --max-time 0.01 2>&1 |
    grep -c 'jansson was missing')

# measured NAME DEVICE FILE OPTION...: the rows of a short run lie in $work/rows.csv, all of them right.
measured() {
    label=$1 device=$2 file=$3
    shift 3
    run "$gmem" --device "$device" --variant pattern --pattern "$file" --min-time 0 --max-time 0.01 --quiet --csv "$work/rows.csv" "$@"
    is "$label: ends well" "$status $(cat "$work/err")" "0 "
    is "$label: all rows are right" "$(column verified "$work/rows.csv" | tr ' ' '\n' | sort -u)" yes
}

# What a row says of a file that is known.
test_spatter() {
    spatter=tests/data/patterns/spatter.json
    for device in cpu $([ "$has_sim" -eq 0 ] || echo sim:h200 sim:mi210); do
        measured "Spatter's JSON on $device" "$device" $spatter --sim-blocks 0
        is "$device: a row a pattern" "$(column pattern "$work/rows.csv")" "rows 2 both 4"
        is "$device: kernels" "$(column op "$work/rows.csv")" "gather scatter gather-scatter gather"
        is "$device: as many elements as indices times repetitions" "$(column elements "$work/rows.csv")" "8000 8000 2100 3072"
        is "$device: useful bytes" "$(column useful_bytes "$work/rows.csv")" "64000 64000 33600 24576"
        # The data up to the last index, and the indices: 999 * 16 + 12 of 8 bytes and 8 of 4.
        is "$device: what is reached, and the indices" "$(column footprint_bytes "$work/rows.csv")" "128000 128056 33624 76"
    done
    measured "every width" cpu $spatter --width 1,2,4,8,16
    run sh -c "'$gmem' --device cpu --variant pattern --pattern - --min-time 0 --max-time 0.01 --csv - --quiet <$spatter"
    is "standard input, read once" "$status $(column pattern "$work/out")" "0 rows 2 both 4"
    # A broadcast of one index is one sector, and 4 for the indices' request where they are as many as lanes.
    printf '[{"pattern": "UNIFORM:32:4:NR", "count": 1000}]' >"$work/apart.json"
    [ "$has_sim" -eq 0 ] || {
        measured "apart" sim:h200 "$work/apart.json" --sim-blocks 0
        is "apart: 32 sectors of data, 4 of indices, in two requests" "$(column sectors_per_request "$work/rows.csv")" 18
    }
}

test_addresses() {
    measured "addresses" cpu tests/data/patterns/addresses --elements 10000 --width 4,8
    is "addresses: they repeat until the elements are there" "$(column elements "$work/rows.csv")" "10005 10005"
    [ "$has_sim" -eq 0 ] || measured "addresses on sim:h200, a sample of the blocks" sim:h200 tests/data/patterns/addresses --sim-blocks 4
}

# bad NAME TEXT [OPTION...]: the file is refused.
bad() {
    label=$1
    printf '%s' "$2" >"$work/bad"
    shift 2
    refuses "refused: $label" 2 "$gmem" --device cpu --variant pattern --pattern "$work/bad" "$@"
}

test_bad_json() {
    bad "half a list" '[{"pattern": [0, 1]}'
    bad "more than a list" '[{"pattern": [0, 1]}] x'
    bad "no list" '{"pattern": [0, 1]}'
    bad "an empty list" '[]'
    bad "a configuration that is a number" '[1]'
    bad "no pattern" '[{"kernel": "Gather"}]'
    bad "an empty pattern" '[{"pattern": []}]'
    bad "a negative index" '[{"pattern": [0, -1]}]'
    bad "an index of more than 32 bits" '[{"pattern": [4294967296]}]'
    bad "an index beyond 64 bits" '[{"pattern": [99999999999999999999]}]'
    bad "an index that is a real number" '[{"pattern": [0.5]}]'
    bad "an unknown kernel" '[{"kernel": "MultiGather", "pattern": [0], "pattern-gather": [0]}]'
    bad "an unknown generator" '[{"pattern": "MS1:8:4:20"}]'
    bad "a generator without a stride" '[{"pattern": "UNIFORM:8"}]'
    bad "a generator of nothing" '[{"pattern": "UNIFORM:0:1"}]'
    bad "a generator out of reach" '[{"pattern": "UNIFORM:16777216:1000"}]'
    bad "count 0" '[{"pattern": [0], "count": 0}]'
    bad "a count in words" '[{"pattern": [0], "count": "all"}]'
    bad "a negative delta" '[{"pattern": [0], "delta": -8}]'
    bad "too many elements" '[{"pattern": [0, 1], "count": 4294967295}]'
    bad "more than the memory" '[{"pattern": [0], "count": 1000000, "delta": 4294967295}]'
    check "more than the memory: a smaller count" grep -q "in the file, or a smaller --width" "$work/err"
    bad "GS without a side" '[{"kernel": "GS", "pattern-gather": [0]}]'
    bad "GS of unequal sides" '[{"kernel": "GS", "pattern-gather": [0, 1], "pattern-scatter": [0]}]'
    bad "a key twice" '[{"pattern": [0], "pattern": [1]}]'
    bad "a boundary" '[{"pattern": [0], "boundary": 100}]'
    bad "nested too deep" "$(awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }')"
}

test_bad_files() {
    bad "an empty file" ''
    bad "words" 'one two'
    bad "an address that is not aligned" '0 8 17'
    bad "an address out of reach" '0 9223372036854775808'
    bad "no address at all" '. . .'
    bad "more than the memory, repeated" '0 8000000000'
    check "more than the memory, repeated: fewer elements" grep -q "a smaller --elements, or smaller addresses" "$work/err"
    if [ "$has_sim" -gt 0 ]; then
        bad "more than the memory, once" '0 17179869168' --device sim:gtx1080 --elements 2
        check "more than the memory, once: smaller addresses" grep -q ": give smaller addresses" "$work/err"
    fi
    refuses "a file that is not there" 2 "$gmem" --device cpu --variant pattern --pattern "$work/missing"
    refuses "a folder" 2 "$gmem" --device cpu --variant pattern --pattern "$work"
    refuses "the variant without a file" 2 "$gmem" --device cpu --variant pattern
    refuses "a file without the variant" 2 "$gmem" --device cpu --variant copy --pattern tests/data/patterns/addresses
}

if [ "$has_json" -eq 0 ]; then
    test_spatter
    test_bad_json
else
    skip "Spatter's JSON" "gmem was built without jansson"
    refuses "Spatter's JSON without jansson" 2 "$gmem" --device cpu --variant pattern --pattern tests/data/patterns/spatter.json
fi
test_addresses
test_bad_files
mutate "pattern files" fuzz_pattern tests/data/patterns/*
finish
