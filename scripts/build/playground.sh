#!/bin/sh
# Writes the playground, one page that holds the model as WebAssembly, its styles and scripts, and the examples and questions of
# docs/banks.md and docs/sectors.md:
#   sh scripts/build/playground.sh FILE.html               compiles the model with clang, lld and wasi-libc
#   sh scripts/build/playground.sh FILE.html MODEL.wasm    takes a model that is compiled already
set -eu
cd "$(dirname "$0")/../.."
. scripts/lib.sh

page=$1 model=${2:-$BUILD/playground.wasm} source=tools/lanes/playground
sources="$source/playground.c tools/lanes/grid.c tools/lanes/picture.c
    tools/lanes/layout/search.c tools/lanes/layout/show_layouts.c
    tools/lanes/layout/tile_access.c model/parts.c bench/parts_table.c
    bench/addresses.c util/error.c util/csv.c util/json_writer.c util/text.c
    model/gpus.c model/evidence.c model/copy_memory.c model/shared_memory.c model/global_memory.c
    model/layout.c model/time/latency.c"

fail() {
    echo "playground: $*" >&2
    exit 1
}

# What the page calls is what the header declares.
exports() {
    sed -n 's/^[a-z].*[ *]\(playground_[a-z]*\)(.*/-Wl,--export=\1/p' "$source/playground.h"
}

compile_model() {
    mkdir -p "$(dirname "$model")"
    compiler=$(wasm_clang) || fail "no clang compiles to WebAssembly: install clang, lld, wasi-libc and clang's run-time library for wasm32"
    # shellcheck disable=SC2046,SC2086 # lists of options and of files
    "$compiler" --target=wasm32-wasi -mexec-model=reactor -std=c11 -D_GNU_SOURCE -I. -O2 -ffunction-sections -fdata-sections \
        -fvisibility=hidden -Wl,--gc-sections -Wl,--strip-all $(exports) -o "$model" $sources ||
        fail "the model is not compiled to WebAssembly: see what $compiler says above"
}

# lessons PART: that part of each page, as HTML.
lessons() {
    for lesson in docs/banks.md docs/sectors.md; do
        awk -v part="$1" -f scripts/build/playground_lessons.awk "$lesson"
    done
}

# fill FILE: prints it with the named files in place of the lines `<!-- NAME -->`.
fill() {
    while IFS= read -r line; do
        case $line in
        '<!-- model.wasm -->') base64 "$model" ;;
        '<!-- examples -->') lessons examples ;;
        '<!-- questions -->') lessons questions ;;
        '<!-- '*' -->')
            name=${line#<!-- }
            cat "$source/${name% -->}"
            ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <"$1"
}

[ $# -gt 1 ] || compile_model
mkdir -p "$(dirname "$page")"
fill "$source/page.html" >"$page.part" && mv "$page.part" "$page"
