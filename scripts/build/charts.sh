#!/bin/sh
# Prints plots/README.md with the captions of the charts between its marks, each from the chart's own file (make docs).
set -u
cd "$(dirname "$0")/../.." || exit 1

# captions PROBE: a paragraph for each of its charts: the comment lines before the first key.
captions() {
    for chart in plots/*.gp; do
        grep -qx "# probe: $1" "$chart" || continue
        awk -v name="$(basename "$chart" .gp)" '/^# [a-z]+: / { exit } { sub(/^# /, ""); text = text " " $0 }
            END { print "**" name "**:" text "\n" }' "$chart" | fold -s -w 120 | sed 's/ *$//'
    done
}

sed '/<!-- captions/q' plots/README.md
for probe in $(sed -n 's/^# probe: //p' plots/*.gp | sort -u); do
    printf '\n### %s\n\n' "$probe"
    captions "$probe" | sed '$d'
done
sed -n '/<!-- end of captions/,$p' plots/README.md | sed '1i\
'
