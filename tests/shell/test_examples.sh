#!/bin/sh
# The worked examples of CONTRIBUTING.md, applied to a copy of the tree, which is built and run.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

tree=$work/tree
copy_tree "$tree"
cp -rp docs plots .clang-format "$tree/"
mkdir "$tree/results"
cp -rp results/published "$tree/results/"
sh tests/shell/apply_examples.sh "$tree" >"$work/places" # lines "ok FILE PLACE"
while read -r found file place; do
    is "$file: its block finds its place, $place" "$found" ok
done <"$work/places"

# places PATTERN: the files that an example touches.
places() {
    cut -d ' ' -f 2 "$work/places" | grep -E "^($1)" | tr '\n' ' '
}
for probe in gmem smem reduce; do
    is "$probe: a variant takes its kernel and its row" "$(places "$probe/${probe}[.]" | xargs -n 1 | sort -u | xargs)" \
        "$probe/$probe.c $probe/$probe.cu"
done
is "apsp: a variant takes its row, on the CPU its method too" "$(places apsp/)" \
    "apsp/apsp.c apsp/solve/cpu.h apsp/solve/cpu.c "
is "a GPU takes its row" "$(places model/)" "model/gpus.c "
is "a column takes its line and its meaning" "$(places 'bench/|docs/')" "bench/columns.h docs/csv.md "
is "a chart takes a file" "$(places plots/)" "plots/gmem-add.gp "
is "a probe takes a folder and a line" "$(places 'launch/|scripts/')" \
    "scripts/build/probes launch/launch.cu launch/launch.c launch/README.md "

# The goal `all` finds the new probe by itself.
check "the tree with the examples is built" make -s -j2 -C "$tree" BUILD=build PLUGINS= WERROR=-Werror
[ -x "$tree/build/launch" ] || {
    tail -n 30 "$work/check" >&2
    finish
}
if command -v clang-format-14 >"$work/null"; then
    check "the examples are laid out as the sources are" make -C "$tree" CLANG_FORMAT=clang-format-14 LAID_OUT="$(places '.*[.](c|h|cu)$')" \
        check-format
fi

# verified PROGRAM VARIANT DEVICE OPTION...: it runs there, and every row is right; the CSV is $work/VARIANT.csv.
verified() {
    program=$1 variant=$2 device=$3
    shift 3
    run "$tree/build/$program" --device "$device" --variant "$variant" "$@" --csv "$work/$variant.csv"
    is "$program: $variant runs on $device" "$status $(cat "$work/err")" "0 "
    is "$program: each row of $variant on $device is verified" "$(column verified "$work/$variant.csv" | tr ' ' '\n' | grep . | sort -u)" yes
}
simulated=sim:h200,sim:mi210
quick="--min-time 0 --max-time 0.02"

verified gmem add "$simulated" --width 1,4,16 --elements 20000 --sim-blocks 0
is "gmem: add's useful bytes are three streams" "$(column useful_bytes "$work/add.csv")" \
    "60000 240000 960000 60000 240000 960000"
is "gmem: the counts of add's requests are three streams" "$(column requests "$work/add.csv")" \
    "1875 1875 1875 939 939 939"
is "gmem: add's footprint is three buffers" "$(column footprint_bytes "$work/add.csv")" \
    "60000 240000 960000 60000 240000 960000"
is "a new column is in the CSV" "$(column streams "$work/add.csv")" "3 3 3 3 3 3"
sed 's/^\(gmem,add,.*\),3,/\1,4,/' "$work/add.csv" >"$work/four.csv"
is "rows that differ in it are other work" "$(column streams "$work/four.csv")" "4 4 4 4 4 4"
run "$tree/build/compare" "$work/add.csv" "$work/four.csv"
is "rows that differ in it do not join" "$status $(grep -c '^Only in [AB] (6 rows)' "$work/out")" "2 2"
refuses "gmem: add is refused on the CPU" 3 "$tree/build/gmem" --device cpu --variant add

verified smem load-serial "$simulated" --width 1,4,16 --stride 1,32
is "smem: load-serial conflicts as loads do" "$(column passes_per_request "$work/load-serial.csv")" \
    "$(run "$tree/build/smem" --device "$simulated" --variant load --width 1,4,16 --stride 1,32 --csv "$work/load.csv"
        column passes_per_request "$work/load.csv")"
is "a new column is empty where no value is set" "$(column streams "$work/load-serial.csv" | tr -d ' ')" ""
refuses "smem: load-serial is refused on the CPU" 3 "$tree/build/smem" --device cpu --variant load-serial

verified reduce first-add,four-adds "$simulated" --type all --elements 70000
is "reduce: four-adds runs half the blocks of first-add" "$(column grid "$work/first-add,four-adds.csv")" \
    "69 69 69 69 35 35 35 35 69 69 69 69 35 35 35 35"
check "reduce: four-adds has a speed-up" at_least "$(column speedup "$work/first-add,four-adds.csv" | tail -n 1)" 0.1
refuses "reduce: four-adds is refused on the CPU" 3 "$tree/build/reduce" --device cpu --variant four-adds

verified apsp shared-row,unrolled-row "$simulated" --via c --vertices 96 # AMD's compiler joins other loads of either
phase3() {
    awk -v variant="$1" -f scripts/csv.awk -f /dev/stdin "$work/shared-row,unrolled-row.csv" <<'END'
row["variant"] == variant && row["kernel"] == "phase3" { print row["grid"], row["block"], row["passes"] }
END
}
is "apsp: unrolled-row does what shared-row does" "$(phase3 unrolled-row)" "$(phase3 shared-row)"
refuses "apsp: unrolled-row is refused on the CPU" 3 "$tree/build/apsp" --device cpu --variant unrolled-row
# shellcheck disable=SC2086 # a list of options
verified apsp cpu-rows cpu --vertices 200 $quick
refuses "apsp: cpu-rows is refused on GPUs" 3 "$tree/build/apsp" --device sim:h200 --variant cpu-rows

run "$tree/build/gmem" --list-gpus
check "a new GPU is listed" grep -q '^rtx3080ti .*NVIDIA GeForce RTX 3080 Ti' "$work/out"
is "each of its figures has a page" "$("$tree/build/parts" --csv - rtx3080ti | sed 1d | grep -vcE ',(https://|[a-z]+/)[^,]*$')" 0
run "$tree/build/lanes" --gpu rtx3080ti --stride 32
is "lanes draws it" "$status $(cat "$work/err")" "0 "
check "lanes: stride 32 puts all lanes on one bank" grep -q '32 passes' "$work/out"
verified gmem copy sim:rtx3080ti --width 4 --elements 64M
is "its peak is the memory's" "$(column peak_gb_s "$work/copy.csv")" 912

# The new chart is drawn from what gmem wrote.
if command -v gnuplot >"$work/null"; then
    mkdir "$work/results"
    run "$tree/build/gmem" --device sim:h200 --variant copy,add --width 4,8,16 --elements 64K --csv "$work/results/gmem.csv"
    run sh "$tree/plots/draw.sh" "$work/results"
    is "a new chart is drawn" "$status $(grep -c gmem-add "$work/out")" "0 2"
    check "it has its title" grep -q 'Copy and sum in global memory' "$work/results/gmem-add.svg"
    check "it names the new variant" grep -q '>add<' "$work/results/gmem-add.svg"
else
    skip "a new chart is drawn" "gnuplot is not here"
fi

# The scripts and tests that read the list of probes find the new one.
in_tree() {
    (cd "$tree" && BUILD=build "$@")
}
is "scripts know the new probe" "$(in_tree sh -c '. scripts/lib.sh && probes' | tail -n 1)" launch
verified launch numbers "$simulated" --blocks 1,64
is "launch: its own parameter is in the CSV" "$(column parameters "$work/numbers.csv")" "blocks=1 blocks=64 blocks=1 blocks=64"
is "launch: its bytes" "$(column useful_bytes "$work/numbers.csv")" "1024 65536 1024 65536"
verified launch numbers sim:h200 --blocks 64 --sim-blocks 4
# shellcheck disable=SC2086 # a list of options
verified launch numbers cpu --blocks 1,64 $quick
check "make install knows it" in_tree make BUILD=build PLUGINS= DESTDIR="$work/root" PREFIX=/usr install
for file in bin/bankshot-launch share/man/man1/bankshot-launch.1; do
    check "it is installed: $file" [ -s "$work/root/usr/$file" ]
done
check "its document is tested" in_tree sh tests/shell/test_docs.sh launch/README.md
check "the tree's structure is that of CONTRIBUTING" in_tree sh tests/shell/test_structure.sh
finish
