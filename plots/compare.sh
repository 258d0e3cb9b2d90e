#!/bin/sh
# Draws the ratios of a comparison.
#     build/compare A B --csv compare.csv; sh plots/compare.sh compare.csv compare.svg      (or compare.png)
set -u
. "$(dirname "$0")/../scripts/options.sh"
check_options "$0" "" "$@"

complain() {
    echo "plots: $1" >&2
    exit 2
}

[ $# -eq 2 ] || complain "two files are needed: sh plots/compare.sh COMPARE.csv PICTURE.svg"
format=${2##*.}
case $format in svg | png) ;; *) complain "$2: unknown kind of picture: name it .svg or .png" ;; esac
grep -q '^a,b,probe,variant,run,.*,ratio,ratio_low,ratio_high,verdict' "$1" 2>/dev/null ||
    complain "$1: it is no comparison: write one with build/compare A B --csv FILE"
command -v gnuplot >/dev/null || complain "gnuplot is not installed: sh scripts/setup.sh installs it"
plots=$(dirname "$0")
points=$2.points
spec=$(LC_ALL=C awk -v points="$points" -f "$plots/../scripts/csv.awk" -f "$plots/compare.awk" "$1" | tr '\n' ';')
case $spec in *"last = 0;"*) rm -f "$points"; complain "$1: it has no ratio: compare runs of the same probes and options" ;; esac
GNUPLOT_LIB=$plots gnuplot -d -e "format = '$format'; data = '$(echo "$points" | sed "s/'/''/g")'; $spec" "$plots/style.gp" "$plots/compare.gp" \
    >"$2.new" 2>"$2.log" </dev/null || { why=$(grep -v '^ *$' "$2.log" | tail -n 1); rm -f "$2.new" "$2.log" "$points"; complain "gnuplot failed: $why"; }
rm -f "$2.log" "$points"
mv "$2.new" "$2"
