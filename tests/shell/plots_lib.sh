# What the tests of charts share: sourced after tests/shell/lib.sh.
# shellcheck shell=sh disable=SC2154 # work, status: tests/shell/lib.sh

# data FOLDER PROBE PART [STRIDES [KINDS [WIDTHS]]]: a CSV of test data, by default powers of two, measured and predicted.
data() {
    mkdir -p "$work/$1"
    awk -v probe="$2" -v part="$3" -v strides="${4-1 2 4 8 16 32 64}" -v kinds="${5:-}" -v widths="${6:-}" \
        -f tests/data/plots.awk >"$work/$1/$2.csv"
}

draw() {
    run sh plots/draw.sh "$work/$1"
}

# shows NAME TEXT FILE...: each file holds the text.
shows() {
    label=$1 text=$2
    shift 2
    if grep -LF -e "$text" "$@" >"$work/lacking" && [ ! -s "$work/lacking" ]; then ok "$label"; else
        fail "$label" "'$text' is not in" "$(cat "$work/lacking")"
    fi
}

hides() {
    if grep -qF -e "$2" "$3"; then fail "$1" "'$2' is in $3"; else ok "$1"; fi
}

is_svg() {
    if command -v xmllint >/dev/null; then xmllint --noout "$1"; else tail -n 2 "$1" | grep -q '</svg>'; fi &&
        grep -q 'width="800" height="600"' "$1"
}

# The first bytes of a PNG: its signature and first chunk, then width and height.
is_png() {
    [ "$(od -An -tx1 -N24 "$1" | tr -d ' \n')" = 89504e470d0a1a0a0000000d494844520000032000000258 ]
}

# picked CHART FILE BLOCK [OTHER...]: the first column of the rows of a block that the chart draws of the file, beside others. Leaves
# the rows in $work/picked/block, and the script in $work/picked/1.gp.
picked() {
    chart=$1 own=$2 block=$3
    shift 3
    rm -rf "$work/picked" "$work/beside" "$work/chart"
    mkdir -p "$work/picked" "$work/beside/own" "$work/chart"
    cp "plots/$chart.gp" plots/variants "$work/chart"
    cp "$own" "$work/beside/own"
    for other; do
        mkdir -p "$work/beside/$(basename "$(dirname "$other")")"
        cp "$other" "$work/beside/$(basename "$(dirname "$other")")"
    done
    "$BUILD/report" "$work/beside" --gnuplot "$work/picked" --plots "$work/chart" 2>"$work/picked/err"
    number=$(sed -n "s|^\([0-9]*\) $chart $work/beside/own/.*|\1|p" "$work/picked/pictures")
    [ -n "$number" ] || return
    cp "$work/picked/$number.gp" "$work/picked/own.gp"
    mv "$work/picked/own.gp" "$work/picked/1.gp"
    awk -v block="# $block" '/^#|^END/ { inside = $0 == block; next } inside && NF' "$work/picked/1.gp" >"$work/picked/block"
    awk '{ print $1 }' "$work/picked/block" | tr '\n' ' '
}

# stretches NAME STRIDES EXPECTED: the strides of gmem-stride's line of a width, with a bar where it is broken.
stretches() {
    data stretches gmem mi210 "$2" predicted 4
    picked gmem-stride "$work/stretches/gmem.csv" predicted:1: >"$work/null"
    is "$1" "$(awk '/^#|^END/ { inside = $2 == "predicted:1:"; next } inside { print NF ? $1 : "|" }' "$work/picked/1.gp" | xargs)" "$3 | |"
}

# says NAME VARIABLE TEXT: the variable of the script that was picked last must hold the text.
says() {
    is "$1" "$(sed -n "s/^$2 = '\(.*\)'\$/\1/p" "$work/picked/1.gp")" "$3"
}
