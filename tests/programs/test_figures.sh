#!/bin/sh
# Every figure that a README states about time, bandwidth or shares must follow from rows of the repository, or from rows that the
# model makes today: figures.py compares the pages with figures.txt. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/programs/lib.sh
export BUILD

if ! command -v python3 >"$work/null"; then
    skip "the figures of the READMEs" "python3 is not here"
    finish
fi

# holds PAGE: the page's figures must follow from rows.
holds() {
    if python3 tests/programs/figures.py tests/programs/figures.txt "$1" >"$work/faults"; then
        ok "$1: every figure follows from rows"
    else
        fail "$1: every figure follows from rows" "$(head -n 20 "$work/faults")"
    fi
}

# finds NAME SCRIPT: after sed has changed the page with SCRIPT, its figures must no longer follow.
finds() {
    mkdir -p "$work/page"
    sed "$2" reduce/README.md >"$work/page/README.md"
    sed "s|^reduce/README.md|$work/page/README.md|" tests/programs/figures.txt >"$work/figures.txt"
    if python3 tests/programs/figures.py "$work/figures.txt" "$work/page/README.md" >"$work/faults"; then
        fail "$1"
    else
        ok "$1"
    fi
}

for page in README.md gmem/README.md smem/README.md levels/README.md links/README.md reduce/README.md apsp/README.md results/h200/README.md \
    results/published/README.md; do
    holds "$page"
done
# shellcheck disable=SC2016 # a line's end
finds "a figure without rows is found" '$a It sums 4.44 TB/s.'
finds "a figure of a table without rows is found" 's/| 1339 |/| 1338 |/'
finds "a figure that is rounded wrongly is found" 's/4424 GB/4423 GB/'
finish
