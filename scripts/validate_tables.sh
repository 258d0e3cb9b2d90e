#!/bin/sh
# Holds the model's counts against published tables of counters and clocks:
#   sh scripts/validate_tables.sh
# One line for each table and device: its rows, how many of them the model meets, and the worst of the others.
set -eu
. "$(dirname "$0")/options.sh"
check_options "$0" "" "$@"
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
tables=results/published/amd
work=$(mktemp -d "${TMPDIR:-/tmp}/bankshot-tables.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# A row's requests go to files by GPU, memory, operation and width, each with the row's name, because `lanes` reads
# requests of one kind.
requests() {
    rm -f "$work"/requests-*
    awk -v table="$1" -v to="$work/requests-" -f scripts/csv.awk -f model/experiments/published_requests.awk "$tables/$1.csv" >"$work/expected"
}

# count: what the model says of each request, with its row's name in front.
count() {
    for file in "$work"/requests-*; do
        of=${file##*/requests-}
        gpu=${of%%-*} of=${of#*-}
        space=${of%%-*} of=${of#*-}
        cut -f 2 "$file" | "$BUILD/lanes" --gpu "$gpu" --space "$space" --op "${of%%-*}" --width "${of#*-}" --addresses - --csv - |
            sed 1d >"$work/counts"
        cut -f 1 "$file" | paste -d , - "$work/counts"
    done
}

# hold TABLE COLUMN...: against each of these columns of `lanes`.
hold() {
    requests "$1"
    count >"$work/counted"
    awk -v table="$1" -f model/experiments/validate_tables.awk "$work/expected" "$work/counted"
}

printf '%-20s %-20s %-12s %5s %5s  %s\n' table device figure rows met 'worst of the others'
for table in l1-strides vcopy-counters lds-strides lds-mi250-lanes lds-gfx950-pairs lds-gfx950-banks rocroller-gfx950; do
    hold "$table"
done
