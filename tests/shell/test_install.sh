#!/bin/sh
# make install, make uninstall, DESTDIR, and the manual pages.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

programs=$(for name in $(listed_probes) $(listed_tools) apsp-mpi; do [ ! -x "$BUILD/$name" ] || echo "$name"; done)

files() {
    (cd "$1" && find . -type f | sort | tr '\n' ' ')
}

# The programs, their pages and completion, and the plug-in with a vendor's library for reduce if the build has made it.
expected=$({
    for name in $programs; do printf '%s\n' "./bin/bankshot-$name" "./share/man/man1/bankshot-$name.1"; done
    printf './%s\n' bin/bankshot share/man/man1/bankshot.1 share/bash-completion/completions/bankshot \
        share/zsh/site-functions/_bankshot share/fish/vendor_completions.d/bankshot.fish
    for plugin in "$BUILD"/reduce-library-*.so; do [ ! -e "$plugin" ] || echo "./lib/bankshot/${plugin##*/}"; done
} | sort | tr '\n' ' ')

# What is not data: plots, docs and examples.
programs_of() {
    files "$1" | tr ' ' '\n' | grep -v '^./share/bankshot/' | tr '\n' ' ' | sed 's/^ *//; s/  *$/ /'
}

check "make install" make BUILD="$BUILD" PREFIX="$work/prefix" install
is "it installs programs, plug-ins, manual pages and completion, nothing else" "$(programs_of "$work/prefix")" "$expected"
for data in plots/draw.sh plots/style.gp docs/csv.md docs/rows.schema.json docs/playground/index.html tools/lanes/examples/transpose.cu \
    results/published/latency.csv scripts/csv.awk scripts/options.sh; do
    check "it installs $data" [ -f "$work/prefix/share/bankshot/$data" ]
done
run "$work/prefix/bin/bankshot" gmem --nonsense
is "installed programs have their installed names" "$status $(cut -d : -f 1 "$work/err")" "2 bankshot-gmem"
if command -v gnuplot >"$work/null"; then
    mkdir "$work/charts" && cp results/h200/reduce.csv "$work/charts"
    run "$work/prefix/bin/bankshot" plots "$work/charts"
    check "bankshot plots draws charts" [ -s "$work/charts/reduce-global.svg" ]
else
    skip "bankshot plots draws charts" "gnuplot is not here"
fi
check "make install with DESTDIR" make BUILD="$BUILD" DESTDIR="$work/root" PREFIX=/usr install
is "DESTDIR stands before PREFIX" "$(programs_of "$work/root/usr")" "$expected"

for name in $programs; do
    installed=$work/prefix/bin/bankshot-$name
    page=$work/prefix/share/man/man1/bankshot-$name.1
    check "bankshot-$name runs from another folder" sh -c "cd / && '$installed' --help"
    for option in --help --list --list-devices --list-gpus; do
        is "bankshot-$name $option is 80 columns wide" "$("$installed" $option 2>/dev/null | awk 'length > 80')" ""
    done
    if command -v man >/dev/null && command -v groff >/dev/null; then
        is "the page of $name is laid out without a warning" "$(LC_ALL=C MANWIDTH=80 man --warnings -l "$page" 2>&1 >"$work/page")" ""
        is "the page of $name is 80 columns wide" "$(col -b <"$work/page" | awk 'length > 80')" ""
        for section in NAME SYNOPSIS DESCRIPTION OPTIONS "EXIT STATUS"; do
            check "the page of $name has $section" grep -q "^$section" "$work/page"
        done
    else
        skip "the page of $name is laid out without a warning" "man and groff are not here"
    fi
    "$installed" --help | grep -Eo -e '--[a-z-]+' | sort -u | sed 's/-/\\-/g' >"$work/options"
    while IFS= read -r option; do
        check "the page of $name names $option" grep -qF -e "$option" "$page"
    done <"$work/options"
done

check "make uninstall" make BUILD="$BUILD" PREFIX="$work/prefix" uninstall
is "make uninstall leaves no file" "$(files "$work/prefix")" ""
finish
