#!/bin/sh
# The command in front of all programs: bankshot gmem --quick runs bankshot-gmem beside it, or build/gmem in a source tree.
set -u

case $0 in
*/*) here=${0%/*} ;;
*) here=$(dirname "$(command -v "$0")") ;;
esac
if [ -f "$here/probes" ]; then # scripts/ of a source tree
    folder=${BUILD:-$here/../build} prefix='' data=$here/..
else
    folder=$here prefix=bankshot- data=$here/../share/bankshot
fi

# programs: the names of those that are there.
programs() {
    for file in "$folder/$prefix"*; do
        name=${file##*/}
        name=${name#"$prefix"}
        case $name in *[!a-z-]*) continue ;; esac
        if [ -f "$file" ] && [ -x "$file" ]; then echo "$name"; fi
    done
}

# summary NAME: what the program's help says in its first line.
summary() {
    "$folder/$prefix$1" --help | sed -n '1s/^[^:]*: //p'
}

help() {
    cat <<'END'
bankshot: how a GPU's memory behaves, and why

Usage: bankshot COMMAND [OPTION]...

Commands:
END
    programs | while read -r name; do
        printf '  %-10s %s\n' "$name" "$(summary "$name")"
    done | awk '{
        line = sprintf("  %-10s", $1)
        for (i = 2; i <= NF; i++) {
            if (length(line " " $i) > 79) {
                print line
                line = sprintf("%12s", "")
            }
            line = line " " $i
        }
        print line
    }'
    cat <<'END'

  plots      draw the charts of a folder of CSV files: bankshot plots results

bankshot help COMMAND and bankshot COMMAND --help print a command's options.
A headline of this machine within 15 s: bankshot gmem --quick

Exit status: that of the command, or 2 if there is no such command.
END
}

# is_program NAME
is_program() {
    case $1 in *[!a-z-]*) return 1 ;; esac
    [ -f "$folder/$prefix$1" ] && [ -x "$folder/$prefix$1" ]
}

# list LINES: "a", "a or b", "a, b or c".
list() {
    printf '%s' "$1" | awk '{ word[NR] = $0 } END { for (i = 1; i <= NR; i++) printf "%s%s", i == 1 ? "" : i < NR ? ", " : " or ", word[i] }'
}

# unknown COMMAND: names the commands that share its first letter.
unknown() {
    near=$(list "$(programs | grep "^$(printf %.1s "$1" | tr -cd a-z)")")
    echo "bankshot: $1: no such command: ${near:+did you mean $near? }see bankshot help" >&2
    exit 2
}

case ${1:-help} in
help | --help | -h)
    [ $# -gt 1 ] || { help; exit; }
    [ "$2" != plots ] || exec cat "$data/plots/README.md"
    is_program "$2" || unknown "$2"
    exec "$folder/$prefix$2" --help
    ;;
--version | -V)
    first=$(programs | head -n 1)
    exec "$folder/$prefix$first" --version
    ;;
esac
if [ "$1" = plots ]; then
    shift
    exec sh "$data/plots/draw.sh" "$@"
fi
is_program "$1" || unknown "$1"
name=$1
shift
exec "$folder/$prefix$name" "$@"
