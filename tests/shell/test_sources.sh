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
    awk '/^```/ { code = !code } FNR > 1 && !code && $0 == "" && before == "" { print FILENAME ":" FNR } { before = $0 }' \
        ./*.md ./*/*.md ./tools/*/*.md >"$work/blank"
    is "no two blank lines follow each other on a page" "$(cat "$work/blank")" ""
}

test_layout
test_pages
# shellcheck disable=SC2046 # a list of folders
test_braces util model device sim bench $(listed_probes) tools tests
command -v shellcheck >"$work/null" || {
    skip shellcheck "it is not here"
    finish
}
# shellcheck disable=SC2046 # a list of files
check shellcheck shellcheck -x -S warning scripts/*.sh scripts/*.slurm scripts/build/commit.sh packaging/*.sh plots/*.sh \
    $(find tests/shell -name '*.sh' ! -name 'test_*')

# Of what each test reads first, shellcheck is given only the variables, because they are all that a warning about the test depends on:
# following the functions, once for every test, takes twice as long as checking the tests.
mkdir "$work/tree"
cp -r scripts tests "$work/tree/"
sed 's/#.*//' scripts/lib.sh tests/shell/lib.sh >"$work/library"
{
    echo '# shellcheck shell=sh'
    grep -oE '(^|[ ;(])[A-Za-z_]+=' "$work/library" | grep -oE '[A-Za-z_]+=' | sort -u
    grep -oE '[$][{]?[A-Z][A-Z_]+' "$work/library" | tr -d '${' | sort -u | sed 's/.*/: "$&"/' # a test sets them for the scripts
} >"$work/tree/tests/shell/lib.sh"
check "shellcheck of the tests" within "$work/tree" sh -c 'shellcheck -x -S warning tests/shell/test_*.sh'
finish
