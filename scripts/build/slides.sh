#!/bin/sh
# Writes the pictures that a page's commands draw: sh scripts/build/slides.sh PAGE FOLDER
# A command is in an indented block, begins with build/lanes, may go on in lines after a backslash, and ends with --svg FILE.svg, whose
# name alone counts.
set -eu
page=$1 folder=$2

sed -n 's/^    //p' "$page" | sed -e ':join' -e '/\\$/{N;s/\\\n *//;b join' -e '}' | grep '^build/lanes .* --svg ' | while read -r _ arguments; do
    # shellcheck disable=SC2086 # a list of options
    set -- $arguments
    options=
    while [ $# -gt 2 ]; do
        options="$options $1"
        shift
    done
    # shellcheck disable=SC2086 # likewise
    "$BUILD/lanes" $options --svg "$folder/${2##*/}" >"$folder/text"
    echo "$folder/${2##*/}"
done
rm -f "$folder/text"
