#!/bin/sh
# The worked examples of CONTRIBUTING.md, applied to a copy of the tree, which is built and run.
cd "$(dirname "$0")/../.." || exit 1
. tests/programs/lib.sh

tree=$work/tree
copy_tree "$tree"

# Each block of C whose first line is `// FILE, PLACE`: its file and place into $work/places, its text into $work/block.N.
awk -v work="$work" '
    /^```/ { open = 0 }
    open { print >(work "/block." blocks) }
    fence && match($0, /^\/\/ [^ ]*, (at the end|in the table)$/) {
        open = 1
        file = $2
        sub(/,$/, "", file)
        print ++blocks, file, substr($0, length("// " file ", ") + 1) >(work "/places")
    }
    { fence = /^```c$/ }' CONTRIBUTING.md

# A row goes to the end of the table of variants.
while read -r number file place; do
    block=$work/block.$number
    case $place in
    'at the end') cat "$block" >>"$tree/$file" ;;
    'in the table')
        awk -v block="$block" '
            /^static const struct variant variants\[\]/ { table = 1 }
            table && /^};/ { while ((getline line <block) > 0) print line; table = 0 }
            { print }' "$file" >"$tree/$file"
        ;;
    esac
done <"$work/places"

programs=$(sed 's/^[0-9]* //; s/\/.*//' "$work/places" | sort -u)
is "the examples are those of these programs" "$(echo "$programs" | tr '\n' ' ')" "gmem reduce smem "
for program in $programs; do
    is "$program: the variant takes two places" "$(grep -c "^[0-9]* $program/" "$work/places")" 2
done
# shellcheck disable=SC2046 # a list of programs
check "the tree with the examples is built" make -C "$tree" BUILD=build PLUGINS= WERROR=-Werror $(echo "$programs" | sed 's/^/build\//')

# verified PROGRAM VARIANT OPTION...: it runs on simulated GPUs, and every row is right; the CSV is $work/VARIANT.csv.
verified() {
    program=$1 variant=$2
    shift 2
    run "$tree/build/$program" --device sim:h200,sim:mi210 --variant "$variant" "$@" --csv "$work/$variant.csv"
    is "$program: $variant runs on simulated GPUs" "$status $(cat "$work/err")" "0 "
    is "$program: each row of $variant is verified" "$(column verified "$work/$variant.csv" | tr ' ' '\n' | sort -u)" yes
}

verified gmem triad --width 1,4,16 --elements 20000 --sim-blocks 0
is "gmem: triad's useful bytes are three streams" "$(column useful_bytes "$work/triad.csv")" \
    "60000 240000 960000 60000 240000 960000"
is "gmem: the counts of triad's requests are three streams" "$(column requests "$work/triad.csv")" \
    "1875 1875 1875 939 939 939"
is "gmem: triad's footprint is three buffers" "$(column footprint_bytes "$work/triad.csv")" \
    "60000 240000 960000 60000 240000 960000"
refuses "gmem: triad is refused on the CPU" 3 "$tree/build/gmem" --device cpu --variant triad

verified smem load-serial --width 1,4,16 --stride 1,32
is "smem: load-serial conflicts as loads do" "$(column passes_per_request "$work/load-serial.csv")" \
    "$(run "$tree/build/smem" --device sim:h200,sim:mi210 --variant load --width 1,4,16 --stride 1,32 --csv "$work/load.csv"
        column passes_per_request "$work/load.csv")"
refuses "smem: load-serial is refused on the CPU" 3 "$tree/build/smem" --device cpu --variant load-serial

verified reduce first-add,four-adds --type all --elements 70000
is "reduce: four-adds runs half the blocks of first-add" "$(column grid "$work/first-add,four-adds.csv")" \
    "69 69 69 69 35 35 35 35 69 69 69 69 35 35 35 35"
check "reduce: four-adds has a speed-up" at_least "$(column speedup "$work/first-add,four-adds.csv" | tail -n 1)" 0.1
refuses "reduce: four-adds is refused on the CPU" 3 "$tree/build/reduce" --device cpu --variant four-adds
finish
