#!/bin/sh
# Draws every chart whose data is in a results folder, as SVG and PNG next to the CSV file, and prints the files written.
#   sh plots/draw.sh results/cpu     the charts of one device's folder
#   sh plots/draw.sh results         the charts of every folder in it, and those that compare devices
# A chart is a file plots/NAME.gp that says in its comments what it shows: see plots/select/spec.awk. The status is 1 if gnuplot
# is missing or failed, and 2 if the folder or a CSV file is at fault. The other charts are still drawn.
set -u

plots=$(dirname "$0")
root=$plots/..
status=0

# complain STATUS WHAT
complain() {
    echo "plots: $2" >&2
    status=$1
}

# header KEY CHART: the value of this key in the chart's comments.
header() {
    sed -n "s/^# $1: //p" "$2"
}

# results PROBE: its CSV files, one per line.
results() {
    for csv in "$dir/$1.csv" "$dir"/*/"$1.csv"; do
        [ ! -f "$csv" ] || echo "$csv"
    done
}

# check CSV: says what is wrong with it or with its folder, if anything is.
check() {
    if [ ! -r "$1" ]; then
        complain 2 "$1: cannot be read: give yourself the permission"
    elif [ ! -w "$(dirname "$1")" ]; then
        complain 2 "$(dirname "$1"): cannot be written to: copy the CSV file to a folder that you can write to"
    elif awk -f "$root/scripts/csv.awk" -f "$plots/check.awk" "$1"; then
        return 0
    fi
    status=2
    return 1
}

# draw CHART SCRIPT PICTURE: PICTURE.svg and PICTURE.png, each complete or not written.
draw() {
    for format in svg png; do
        if ! GNUPLOT_LIB=$plots gnuplot -d \
            -e "format = '$format'; published_folder = '$(echo "$root/results/published" | sed "s/'/''/g")'" "$plots/style.gp" "$2" "$1" \
            >"$work/picture" 2>"$work/log" </dev/null; then
            complain 1 "$(basename "$1"): gnuplot failed: $(grep -v '^ *$' "$work/log" | tail -n 1)"
            return
        fi
        if [ -d "$3.$format" ] || ! cp "$work/picture" "$3.$format" 2>"$work/log"; then
            complain 2 "$3.$format: cannot be written: check the name and the free space"
            return
        fi
        echo "$3.$format"
    done
}

# draw_pictures CHART FOLDER OWN CSV...: draws the chart's pictures in FOLDER: one for each device of the file OWN or, if that
# is empty, one that compares the devices of all files.
draw_pictures() {
    chart=$1 folder=$2 csv=$3
    shift 3
    published=$(header published "$chart")
    published=${published:+$root/results/published/$published}
    spec=$(cat "$chart") lists=$(cat "$plots/variants")
    export chart spec lists csv published work
    LC_ALL=C awk -f "$root/scripts/csv.awk" -f "$work/select.awk" "$@" ${published:+"$published"} \
        >"$work/pictures" || complain 1 "$chart: its rows cannot be selected: see the line above"
    while read -r number suffix; do
        draw "$chart" "$work/$number.gp" "$folder/$(basename "$chart" .gp)$suffix"
    done <"$work/pictures"
}

# draw_chart CHART CSV...
draw_chart() {
    chart=$1
    shift
    for scope in $(header scope "$chart"); do
        if [ "$scope" = compare ]; then
            draw_pictures "$chart" "$dir" "" "$@"
        else
            for own in "$@"; do
                draw_pictures "$chart" "$(dirname "$own")" "$own" "$@"
            done
        fi
    done
}

if [ $# -ne 1 ]; then
    complain 2 "one folder is needed: sh plots/draw.sh FOLDER"
    exit 2
fi
case $1 in
/* | .*) dir=$1 ;;
*) dir=./$1 ;; # so that no name looks like an option, or to awk like an assignment
esac
dir=${dir%/}

if [ ! -d "$dir" ]; then
    complain 2 "$1: no such folder: run a probe with --csv first"
    exit 2
fi
if ! command -v gnuplot >/dev/null; then
    complain 1 "gnuplot is not installed: sh scripts/setup.sh installs it"
    exit 1
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/bankshot-plots.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cat "$plots"/select/*.awk >"$work/select.awk"

found=
for probe in $(cat "$plots"/*.gp | header probe - | sort -u); do
    results "$probe" >"$work/found"
    : >"$work/$probe"
    while IFS= read -r csv; do
        found=yes
        ! check "$csv" || echo "$csv" >>"$work/$probe"
    done <"$work/found"
done
[ -n "$found" ] || complain 2 "$1: there is no CSV file of a probe in it: run one, such as build/gmem --csv $1/gmem.csv"

for chart in "$plots"/*.gp; do
    probe=$(header probe "$chart")
    [ -n "$probe" ] || continue
    set --
    while IFS= read -r csv; do
        set -- "$@" "$csv"
    done <"$work/$probe"
    [ $# -eq 0 ] || draw_chart "$chart" "$@"
done
exit "$status"
