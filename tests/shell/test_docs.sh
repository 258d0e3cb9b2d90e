#!/bin/sh
# Runs the commands of the documentation: every quick command that it shows must work, and if it shows what a command prints,
# the program must print that today. A command is in a code block, indented or fenced, and begins with build/. The lines of its
# block up to the next command are its output, with `...` for lines that are left out. No GPU is needed.
#   sh tests/shell/test_docs.sh [DOCUMENT...]
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

# A copy of this tree in which commands may leave files.
mkdir "$work/tree"
for entry in *; do
    [ "$entry" = build ] || ln -s "$PWD/$entry" "$work/tree/$entry"
done
ln -s "$(cd "$BUILD" && pwd)" "$work/tree/build"
rm -f "$work/tree/results"
mkdir "$work/tree/results"
cp -r results/h200 results/h100 "$work/tree/results/"

# Kernels in CUDA C++ need a compiler, which is not everywhere.
for_nvidia=$(! compiles_for h200 || echo yes)
for_amd=$(! compiles_for mi210 || echo yes)
by_ptx=$(! makes_ptx || echo yes)
[ -n "$for_nvidia" ] || skip "commands with kernels" "$no_compiler"
[ -n "$for_amd" ] || skip "commands with kernels for AMD's GPUs" "no clang makes their instructions here"
[ -n "$by_ptx" ] || skip "commands with --via ptx" "NVRTC is not here"

# blocks FILE: its code blocks' lines, each after a `|`, and an empty line after each block.
blocks() {
    awk '
        function close_block() { if (open) print ""; open = 0 }
        /^```/ { fenced = !fenced; close_block(); next }
        fenced { print "|" $0; open = 1; next }
        /^    / { print "|" substr($0, 5); open = 1; blank = 0; next }
        /^$/ && open { print "|"; next }
        { close_block() }
        END { close_block() }' "$1"
}

# split_commands FILE: writes $work/commands/N and, where output is shown, $work/shown/N.
split_commands() {
    rm -rf "$work/commands" "$work/shown"
    mkdir "$work/commands" "$work/shown"
    blocks "$1" | awk -v commands="$work/commands/" -v shown="$work/shown/" '
        /^\|build\// { current = sprintf("%03d", ++n) }
        /^\|build\// || continued {
            continued = sub(/ *\\$/, "")
            sub(/  +#.*/, "")
            sub(/^\| */, "")
            printf "%s%s", $0, continued ? " " : "\n" >(commands current)
            next
        }
        /^$/ { current = "" }
        current != "" && $0 != "|" { print substr($0, 2) >(shown current) }'
}

# quick COMMAND: the command, with settings that make it quick, on a device that every machine has. Prints nothing if the command
# needs a real GPU or a compiler that is not here, or the reader has to fill something in.
quick() {
    case $1 in
    *"--kernel "*mi[0-9]*) [ -n "$for_amd" ] || return ;;
    *"--kernel "*) [ -n "$for_nvidia" ] || return ;;
    *"--via ptx"*) [ -n "$by_ptx" ] || return ;;
    *"--via amdgcn"*) [ -n "$for_amd" ] || return ;;
    esac
    case $1 in
    *cuda* | *hip* | *FILE* | *...*) return ;;
    build/compare*h100*) echo "$1 || [ \$? = 1 ]" ;; # a row is slower on one of the two
    build/compare*before* | build/compare*sim-*) return ;; # of the reader's runs
    build/lanes*neighbours.cu\ --grid*) echo "$1; [ \$? = 1 ]" ;; # the race that students find
    build/compare* | build/lanes* | build/parts* | *--list* | *--help* | *--version*) echo "$1" ;;
    *"--graph "* | *--save-graph*) return ;; # the graph is the reader's, or large
    build/apsp*sim:*multi-device*) echo "$1 --vertices 140" ;; # two strips
    build/smem*sim:*--csv*) echo "$1 --sim-blocks 1" ;;
    *--device*sim:*--budget*) echo "$1 --budget 0.2" ;;
    *--device*sim:*--variant* | *--variant*--device*sim:*) echo "$1" ;;
    *--device*sim:*) echo "$1 --budget 0.2" ;;
    build/apsp*--device*) echo "$1 --vertices 200 --min-time 0 --max-time 0.02" ;;
    build/apsp*) echo "$1 --vertices 100 --device sim:h200 --budget 0.2" ;;
    *--device*--budget*) echo "$1 --min-time 0 --max-time 0.02 --budget 0.2" ;;
    build/levels*--device*--footprint*) echo "$1 --min-time 0 --max-time 0.02" ;;
    build/levels*--device*) echo "$1 --min-time 0 --max-time 0.02 --footprint 4M" ;;
    build/gmem*--device*) echo "$1 --min-time 0 --max-time 0.02 --elements 1M" ;;
    *--device*) echo "$1 --min-time 0 --max-time 0.02" ;;
    *driver-copy*) echo "$1 --min-time 0 --max-time 0.02 --elements 1M --device cpu" ;; # which no simulated device has
    *" --quick"*) echo "$1 --device sim:h200" ;;
    *) echo "$1 --device sim:h200 --budget 0.2" ;;
    esac
}

# shows NAME SHOWN PRINTED: the lines shown must be printed in this order. In the pages on banks and sectors lines may be left out only at
# `...` and after the last one shown. A predicted bandwidth, its share of the copy's, a line's share of the predicted time, and a time may
# differ by 8 % or by one of a hundred, because the host's compiler decides how many instructions the model counts.
shows() {
    case $1 in docs/banks.md* | docs/sectors.md*) strict=1 ;; *) strict=0 ;; esac
    if awk -v strict="$strict" '
        BEGIN { skips = !strict }
        function near(a, b) { return a == b || (a + 0 > 0 && a / b > 0.92 && a / b < 1.08) }
        function similar(a, b) { return near(a, b) || (a - b < 1 && b - a < 1) }
        function alike(a, b,    x, y, i) {
            if (a == b || split(a, x) != split(b, y)) return a == b
            for (i in x)
                if (x[i] != y[i] && !(speed && (i == speed || i == speed + 1) && near(x[i], y[i])) &&
                    !(x[i + 1] ~ /^(%|us,?)$/ && x[i + 1] == y[i + 1] && similar(x[i], y[i]))) return 0
            return 1
        }
        function find_speed(line,    names, i) {
            for (i = split(line, names); i > 0; i--) if (names[i] == "GB/s") speed = i
        }
        { sub(/[ \t\r]+$/, "") }
        FILENAME == ARGV[1] { if ($0 != "") printed[++count] = $0; next }
        $0 == "..." { skips = 1; next }
        {
            do { at++ } while (skips && at <= count && !alike($0, printed[at]))
            if (/^device/) find_speed($0)
            if (at > count || !alike($0, printed[at])) { print "line " FNR ": " $0; exit 1 }
            skips = !strict
        }' "$3" "$2" >"$work/differs"; then
        ok "$1"
    else
        fail "$1" "shown, but not printed there: $(cat "$work/differs")" "printed:" "$(head -n 20 "$3")"
    fi
}

# widest COMMAND: the first row in $work/out of a probe's table that does not fit into 80 columns, unless it has several verdicts or is of
# a list.
widest() {
    case $1 in *--csv* | *--json* | *--list* | build/lanes*) return ;; esac
    awk -v command="$1" 'length > 80 && !/\+/ && !/^sim:[^ ]*: / { print command ": " $0; exit }' "$work/out"
}

# try NAME COMMAND SHOWN
try() {
    (cd "$work/tree" && timeout 60 sh -c "$2") >"$work/out" 2>"$work/err" </dev/null
    status=$?
    widest "$2" >>"$work/wide"
    if [ "$status" -ne 0 ]; then
        fail "$1" "$2" "ended with status $status" "$(head -n 3 "$work/err")"
    elif [ -e "$3" ]; then
        shows "$1" "$3" "$work/out"
    else
        ok "$1"
    fi
}

[ $# -gt 0 ] || {
    for probe in $(listed_probes) tools/lanes; do set -- "$@" "$probe/README.md"; done
    set -- README.md "$@" tools/lanes/examples/README.md docs/layout.md docs/lesson.md docs/lesson-answers.md docs/parts.md docs/sectors.md docs/banks.md
}
for document; do
    if [ ! -e "$document" ]; then
        skip "$document" "it is not there"
        continue
    fi
    split_commands "$document"
    : >"$work/wide"
    found=0
    for file in "$work"/commands/*; do
        [ -e "$file" ] || continue
        command=$(quick "$(cat "$file")")
        if [ -n "$command" ]; then
            try "$document: $(cat "$file")" "$command" "$work/shown/$(basename "$file")"
            found=$((found + 1))
        fi
    done
    [ -z "$for_nvidia" ] || check "$document: has commands to run" [ "$found" -gt 0 ]
    is "$document: what they print is 80 columns wide" "$(cat "$work/wide")" ""
done
[ "$document" = docs/banks.md ] || finish

# unexplained: lines "PROGRAM --OPTION", for each option that neither the program's page nor one for all programs names.
unexplained() {
    for program in $(listed_probes) $(listed_tools); do
        [ -x "$BUILD/$program" ] || continue
        "$BUILD/$program" --help | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' | while read -r option; do
            grep -qwF -e "$option" README.md docs/*.md "$program/README.md" "tools/$program/README.md" 2>"$work/null" || echo "$program $option"
        done
    done
}
is "every option is explained on a page" "$(unexplained)" ""
is "the README's two commands have no word to replace" \
    "$(sed -n '/^## Two commands/,/^A table/s/^    //p' README.md | sed 's/#.*//' | grep -o '[A-Z][A-Z]*')" ""
check "$document: every command's output is shown" [ "$(ls "$work/commands" | wc -l)" -eq "$(ls "$work/shown" | wc -l)" ]

# docs/simulator.md must list the constants of the model of time as they are, of all GPUs but those that were added since.
sed -n '/^### The constants$/,/^## /p' docs/simulator.md | sed '1,2d; $d' | sed '$d' >"$work/listed"
"$BUILD/gmem" --list-gpus | awk '{ print "| `" $1 "` |" }' | while read -r gpu; do
    grep -qF "$gpu" "$work/listed" || echo "$gpu"
done >"$work/added"
sed -n '/^| part | probe | nine of ten/,/^$/p' docs/validation.md | sed '$d' >"$work/checks"
check "docs/validation.md begins with what was held against the predictions: build/tests/time_constants checks prints it" \
    sh -c '"$1" checks | diff "$2" -' sh "$BUILD/tests/time_constants" "$work/checks"
check "docs/simulator.md lists every constant: build/tests/time_constants prints the section" \
    sh -c '"$1" | grep -vFf "$2" | diff "$3" -' sh "$BUILD/tests/time_constants" "$work/added" "$work/listed"

# docs/csv.md must explain every column of the CSV files.
sed -n 's/^\([A-Z_]*\)(\([a-z0-9_]*\).*/\2/p' bench/columns.h | while read -r column; do
    grep -q "^| .*\`$column\`.* |" docs/csv.md || echo "$column"
done >"$work/unexplained"
is "docs/csv.md explains every column" "$(cat "$work/unexplained")" ""

# Links between pages lead to a file, and to a heading of it: in the form that GitHub gives headings.
find . -name '*.md' ! -path './build*' ! -path './.git/*' | sed 's|^\./||' | while read -r page; do
    sed 's/`[^`]*`//g' "$page" | grep -o '](\([^):]*\))' | sed 's/^](//; s/)$//' | while read -r link; do
        file=$page
        [ -z "${link%%#*}" ] || file=$(dirname "$page")/${link%%#*}
        heading=${link#"${link%%#*}"}
        [ -e "$file" ] || echo "$page: $link: no such file"
        [ -z "$heading" ] || [ ! -e "$file" ] || sed -n 's/^##* //p' "$file" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-' | grep -qx "${heading#\#}" ||
            echo "$page: $link: no such heading"
    done
done >"$work/dead"
is "links between pages lead somewhere" "$(cat "$work/dead")" ""

# The README's chart must show today's rows. Another version of gnuplot, or none, writes other lines.
mkdir "$work/h200" && cp results/h200/gmem.csv "$work/h200"
sh plots/draw.sh "$work/h200" >"$work/null" 2>&1
chart=$work/h200/gmem-stride.svg
if grep -qxF "$(grep '^<desc>' docs/gmem-stride.svg)" "$chart" 2>"$work/null"; then
    check "docs/gmem-stride.svg: make plots DIR=results/h200 draws the same" cmp "$chart" docs/gmem-stride.svg
else
    skip "docs/gmem-stride.svg has today's rows" "it was drawn by another version of gnuplot"
fi
finish
