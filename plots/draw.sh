#!/bin/sh
# Draws every chart whose data is in a results folder, as SVG and PNG next to the CSV file, and prints the files written.
#   sh plots/draw.sh results/cpu     the charts of one device's folder
#   sh plots/draw.sh results         the charts of every folder in it, and those that compare devices
#   sh plots/draw.sh mine --beside results      the charts of mine, beside other machines' where a chart compares devices
# A chart is a file plots/NAME.gp that says in its comments what it shows. build/report selects the rows and writes a script for each
# picture; gnuplot draws all of them. The status is 1 if a program is missing or failed, and 2 if the folder or a CSV file is at
# fault. The other charts are still drawn.
set -u

plots=$(dirname "$0")
status=0
. "$plots/../scripts/options.sh"
check_options "$0" --beside "$@"

# complain STATUS WHAT
complain() {
    echo "plots: $2" >&2
    status=$1
}

# Where the program is: among what was built, or installed beside the others.
find_report() {
    for report in "${BANKSHOT_REPORT:-}" "$plots/../${BUILD:-build}/report" "${BUILD:-build}/report" "$(command -v bankshot-report)"; do
        [ -z "$report" ] || [ ! -x "$report" ] || return 0
    done
    return 1
}

# gnuplot_draws FORMAT: draws the pictures of the list `left` in this format. gnuplot ends at the first fault, so it is started again
# for what comes after it.
gnuplot_draws() {
    work_of=$work/$1
    cp "$work/pictures" "$work_of.left"
    while [ -s "$work_of.left" ]; do
        while read -r number chart _; do
            printf '%s\n' "reset session" "format = '$1'" "load 'style.gp'" "set output '$work/$number.$1'" "load '$work/$number.gp'" \
                "load '$chart.gp'" "unset output" "set print '$work_of.done' append" "print $number" "unset print"
        done <"$work_of.left" >"$work_of.all"
        : >"$work_of.done"
        GNUPLOT_LIB=$plots gnuplot -d "$work_of.all" >/dev/null 2>"$work_of.log" </dev/null
        drawn=$(wc -l <"$work_of.done")
        [ "$drawn" -lt "$(wc -l <"$work_of.left")" ] || return 0
        sed -n "$((drawn + 1))p" "$work_of.left" | while read -r number chart _; do
            echo "$number $chart.gp: gnuplot failed: $(grep -v '^ *$' "$work_of.log" | tail -n 1)"
        done >>"$work_of.failed"
        sed "1,$((drawn + 1))d" "$work_of.left" >"$work_of.next"
        mv "$work_of.next" "$work_of.left"
    done
}

# Moves the pictures to their places, each complete or not at all.
place() {
    while read -r number _ picture; do
        why=$(sed -n "s/^$number //p" "$work/svg.failed" "$work/png.failed" | head -n 1)
        if [ -n "$why" ]; then
            complain 1 "$why"
            continue
        fi
        for format in svg png; do
            if [ -d "$picture.$format" ] || ! cp "$work/$number.$format" "$picture.$format" 2>/dev/null; then
                complain 2 "$picture.$format: cannot be written: check the name and the free space"
                break
            fi
            echo "$picture.$format"
        done
    done <"$work/pictures"
}

# folder NAME: sets dir to its name that looks like no option.
folder() {
    case $1 in
    /* | .*) dir=${1%/} ;;
    *) dir=./${1%/} ;;
    esac
    if [ ! -d "$dir" ]; then
        complain 2 "$1: no such folder: run a probe with --csv first"
        exit 2
    fi
}

if [ $# -eq 0 ] || { [ $# -gt 1 ] && [ "$2" != --beside ]; }; then
    complain 2 "one folder is needed: sh plots/draw.sh FOLDER [--beside FOLDER...]"
    exit 2
fi
folder "$1"
own=$dir
shift
[ $# -eq 0 ] || shift
beside=$#
while [ "$beside" -gt 0 ]; do
    folder "$1"
    set -- "$@" --beside "$dir"
    shift
    beside=$((beside - 1))
done
if ! command -v gnuplot >/dev/null; then
    complain 1 "gnuplot is not installed: sh scripts/setup.sh installs it"
    exit 1
fi
if ! find_report; then
    complain 1 "build/report is not built: run make first"
    exit 1
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/bankshot-plots.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
touch "$work/pictures" "$work/svg.failed" "$work/png.failed"

"$report" "$own" "$@" --gnuplot "$work" --plots "$plots" || status=$?
gnuplot_draws svg &
gnuplot_draws png
wait
place
exit "$status"
