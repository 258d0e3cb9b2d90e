#!/bin/sh
# Every figure that a README states about time, bandwidth or shares must follow from rows of the repository, or from rows that the
# model makes today, and so must listed figures of other pages: figures.py compares the pages with figures.txt. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
export BUILD

if ! command -v python3 >"$work/null"; then
    skip "the figures of the READMEs" "python3 is not here"
    finish
fi

# holds PAGE [--listed]: the page's figures, or those that are listed, must follow from rows.
holds() {
    # shellcheck disable=SC2086 # an option or none
    if python3 tests/shell/figures.py ${2-} tests/shell/figures.txt "$1" >"$work/faults"; then
        ok "$1: every figure follows from rows"
    else
        fail "$1: every figure follows from rows" "$(head -n 20 "$work/faults")"
    fi
}

# unmeasured: `PROBE VARIANT` for each variant that no measured row of the repository has and that results/h200/README.md does not name.
unmeasured() {
    # shellcheck disable=SC2016 # a script of awk's
    echo 'row["source"] == "measured" { print row["probe"], row["variant"] }' >"$work/measured.awk"
    awk -f scripts/csv.awk -f "$work/measured.awk" results/h[12]00/*.csv results/h200-*/*.csv | sort -u >"$work/measured"
    for probe in $(listed_probes); do
        "$BUILD/$probe" --list | awk -v probe="$probe" '/^[a-z]/ && !/^cpu-/ { print probe, $1 }'
    done | grep -vxFf "$work/measured" | while read -r probe variant; do
        grep -qF "\`$variant\` of \`$probe\`" results/h200/README.md || echo "$probe $variant"
    done
}

# finds NAME SCRIPT: after sed has changed the page with SCRIPT, its figures must no longer follow.
finds() {
    mkdir -p "$work/page"
    sed "$2" reduce/README.md >"$work/page/README.md"
    sed "s|^reduce/README.md|$work/page/README.md|" tests/shell/figures.txt >"$work/figures.txt"
    if python3 tests/shell/figures.py "$work/figures.txt" "$work/page/README.md" >"$work/faults"; then
        fail "$1"
    else
        ok "$1"
    fi
}

for page in README.md gmem/README.md smem/README.md levels/README.md links/README.md reduce/README.md apsp/README.md results/h100/README.md \
    results/h200/README.md results/published/README.md; do
    holds "$page"
done
# These also state settings, constants of the model, and runs whose files are not in the repository.
for page in docs/banks.md docs/method.md docs/model.md docs/scale.md docs/simulator.md docs/validation.md tools/compare/README.md; do
    holds "$page" --listed
done
# A variant that was added since is no fault: it is measured when there is a GPU again.
unmeasured >"$work/unmeasured"
while read -r probe variant; do
    skip "measured rows of $probe's $variant" "results/h100 and results/h200 have none"
done <"$work/unmeasured"
# shellcheck disable=SC2016 # a line's end
finds "a figure without rows is found" '$a It sums 4.44 TB/s.'
finds "a figure of a table without rows is found" 's/| 1353 |/| 1352 |/'
finds "a figure that is rounded wrongly is found" 's/4362 GB/4361 GB/'
finish
