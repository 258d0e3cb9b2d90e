#!/bin/sh
# Applies the worked examples of CONTRIBUTING.md to a copy of the sources:
#   sh tests/shell/apply_examples.sh FOLDER              all of them
#   sh tests/shell/apply_examples.sh FOLDER 'A chart'    those under this heading
# Prints a line `ok FILE PLACE` or `FAIL FILE PLACE` for each block that a heading's example consists of.
set -u
tree=${1:?a folder with a copy of the sources} heading=${2:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/bankshot-examples.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Finds each fenced block whose first line is a comment "FILE, PLACE". Its number, file and place go to $work/places, its other
# lines to $work/block.N.
awk -v work="$work" -v heading="$heading" '
    /^\*\*.*\.\*\*/ { wanted = heading == "" || index($0, "**" heading ".**") == 1 }
    /^```/ { open = 0 }
    open { print >(work "/block." blocks) }
    fence && wanted && match($0, /^(\/\/|#|<!--) [^ ]*, (at the end|in the table|a new file|after )/) {
        open = 1
        sub(/^[^ ]* /, "")
        sub(/ -->$/, "")
        sub(/,/, "")
        print ++blocks, $0 >(work "/places")
    }
    { fence = /^```[a-z]/ }' "$(dirname "$0")/../../CONTRIBUTING.md"
[ -s "$work/places" ] || {
    echo "apply_examples: CONTRIBUTING.md has no example '$heading': give one of its headings" >&2
    exit 2
}

# insert BLOCK FILE TABLE TEXT: at the end of the table of variants or of GPUs, or after the first line that begins with TEXT.
insert() {
    awk -v block="$1" -v in_table="$3" -v text="$4" '
        function insert_block(    line) { while ((getline line <block) > 0) print line; done = 1 }
        /^(static const struct variant variants|const struct gpu gpu_rows)\[\]/ { table = in_table }
        table && /^};/ && !done { insert_block() }
        { print; sub(/^ */, "") }
        text != "" && index($0, text) == 1 && !done { insert_block() }
        END { exit !done }' "$2" >"$work/changed" && cp "$work/changed" "$2"
}

# apply BLOCK FILE PLACE
apply() {
    case $3 in
    'a new file') mkdir -p "$(dirname "$2")" && [ ! -e "$2" ] && cp "$1" "$2" ;;
    'at the end') cat "$1" >>"$2" ;;
    'in the table') insert "$1" "$2" 1 "" ;;
    'after '*) insert "$1" "$2" 0 "${3#after }" ;;
    esac
}

status=0
while read -r number file place; do
    if apply "$work/block.$number" "$tree/$file" "$place"; then
        echo "ok $file $place"
    else
        echo "FAIL $file $place"
        status=1
    fi
done <"$work/places"
exit $status
