#!/bin/sh
# The layout of the sources and the pages, and what shellcheck says of the scripts.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

# What clang-format decides differs from version to version; the sources follow 14.
test_layout() {
    for format in clang-format-14 clang-format; do
        case $("$format" --version 2>"$work/null") in
        *' 14.'*)
            check layout make CLANG_FORMAT="$format" check-format
            return
            ;;
        esac
    done
    skip layout "the sources are laid out with clang-format 14, and there is $(clang-format --version 2>&1)"
}

# clang-format leaves out braces as it finds them; a condition that is one whole line and ends without one has none.
test_braces() {
    find "$@" \( -name '*.c' -o -name '*.h' \) -exec \
        grep -nE '^ *((if|for|while) \(.*\)|else( if \(.*\))?|do)$' /dev/null {} + >"$work/bare"
    is "braces stand around every statement of an if or a loop" "$(cat "$work/bare")" ""
}

# Tables and commands cannot be wrapped.
test_pages() {
    awk 'length > 170 && !/^(\||    )/ { print FILENAME ":" FNR }' ./*.md ./*/*.md ./tools/*/*.md results/*/*.md tools/lanes/examples/*.md >"$work/wide"
    is "lines of the pages are at most 170 columns wide" "$(cat "$work/wide")" ""
}

test_layout
test_pages
# shellcheck disable=SC2046 # a list of folders
test_braces util model device sim bench $(listed_probes) tools tests
command -v shellcheck >"$work/null" || {
    skip shellcheck "it is not here"
    finish
}
check shellcheck shellcheck -x -S warning scripts/*.sh scripts/*.slurm scripts/build/commit.sh packaging/*.sh tests/shell/*.sh plots/*.sh
finish
