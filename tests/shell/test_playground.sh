#!/bin/sh
# The playground: the committed page is made of today's sources, its model answers as the host's does, and a browser shows it.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

page=docs/playground/index.html
in_page() {
    task=$1
    shift
    node tests/browser/playground.js "$task" "$page" "$@"
}

# A compiler of another version makes another model, so the page is made anew around the committed one.
test_page_is_current() {
    in_page wasm | base64 -d >"$work/model.wasm"
    check "the page is made" sh scripts/build/playground.sh "$work/page.html" "$work/model.wasm"
    check "the committed page is made of today's sources: make playground writes it" cmp "$work/page.html" "$page"
}

test_page_is_built() {
    if ! wasm_clang >"$work/null"; then
        skip "the playground is compiled" "clang, lld, wasi-libc or clang's run-time library for it is not here"
        return
    fi
    check "the playground is compiled" env BUILD="$work" sh scripts/build/playground.sh "$work/built.html"
    page=$work/built.html
    test_requests "today's model" 20000
    page=docs/playground/index.html
}

has_program() {
    command -v "$1" >"$work/null"
}

# test_requests WHOSE COUNT
test_requests() {
    requests=$BUILD/tests/playground_requests
    if [ ! -x "$requests" ]; then
        skip "$1 answers as the host's" "make unit-tests was not run"
        return
    fi
    "$requests" "$2" 100 | in_page check >"$work/out" 2>"$work/err"
    is "$1 answers as the host's" "$(cat "$work/out" "$work/err")" "$2 requests and $(($2 / 100)) texts are equal"
}

# What a link of the page shows is what lanes prints for the command that the page names.
test_links() {
    in_page links >"$work/links"
    check "the page has examples" at_least "$(wc -l <"$work/links")" 20
    while IFS="$(printf '\t')" read -r link command; do
        sh -c "$BUILD/${command#build/}" >"$work/expected" 2>&1
        in_page text "$link" >"$work/found" 2>&1
        cmp -s "$work/expected" "$work/found" || echo "$link"
    done <"$work/links" >"$work/differ"
    is "each link shows what lanes prints" "$(cat "$work/differ")" ""
}

# A link may come from anybody, and a reader copies its command into a shell.
test_hostile_link() {
    command=$(in_page command "#addresses=0+4'; touch $work/touched; echo '8")
    (cd "$work" && sh -c "$command") >"$work/out" 2>&1
    check "a link's addresses run nothing" test ! -e "$work/touched"
    is "they stay addresses" "$(sh -c "${command%% |*}")" "0 4'; touch $work/touched; echo '8"
}

test_browser() {
    if ! has_program "${CHROMIUM:-chromium}"; then
        skip "the playground in a browser" "chromium is not here"
        return
    fi
    node tests/browser/playground_browser.js "$page" 2>"$work/err" >"$work/out"
    grep '^ok\|^FAIL' "$work/out"
    failures=$((failures + $(grep -c '^FAIL' "$work/out")))
    cat "$work/err" >&2
    check "the browser's tests ran" grep -q '^ok' "$work/out"
}

built "$BUILD/lanes"
if ! has_program node; then
    skip playground "node is not here"
    finish
fi
test_page_is_current
test_requests "the page's model (make playground compiles it)" 1000000
test_page_is_built
test_links
test_hostile_link
test_browser
finish
