#!/bin/sh
# The command in front of all programs: bankshot gmem --quick runs bankshot-gmem beside it, or build/gmem in a source tree.
set -u

case $0 in
*/*) here=${0%/*} ;;
*) here=$(dirname "$(command -v "$0")") ;;
esac
if [ -f "$here/build/probes" ]; then # scripts/ of a source tree
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

summary() {
    BANKSHOT_HELP=summary "$folder/$prefix$1" --help
}

SUMMARY="how a GPU's memory behaves, and why"
FLEET="measure and judge every GPU of many nodes: bankshot fleet --help"
PLOTS="draw the charts of a folder of CSV files: bankshot plots results"
PACK="check a folder of results and pack it: bankshot pack results/here"
DESCRIPTION="bankshot help COMMAND and bankshot COMMAND --help print a command's options.
A headline of this machine within 15 s: bankshot gmem --quick"
EXIT_STATUS="that of the command, or 2 if there is no such command."

# version: "bankshot" and the version, which all programs share.
version() {
    first=$(programs | head -n 1)
    "$folder/$prefix$first" --version | sed "s/ $first / /"
}

# manual: the page of this command, as the programs print theirs (util/help.h).
manual() {
    {
        printf '.TH BANKSHOT 1 "" "%s" "bankshot manual"\n' "$(version)"
        printf '.SH NAME\nbankshot - %s\n.SH SYNOPSIS\n.B bankshot\nCOMMAND [OPTION]...\n' "$SUMMARY"
        printf '.SH DESCRIPTION\n%s\n.SH COMMANDS\n' "$DESCRIPTION"
        programs | while read -r name; do printf '.TP\n.B %s\n%s\n' "$name" "$(summary "$name")"; done
        printf '.TP\n.B fleet\n%s\n.TP\n.B pack\n%s\n.TP\n.B plots\n%s\n.SH EXIT STATUS\n%s\n' "$FLEET" "$PACK" "$PLOTS" "$EXIT_STATUS"
    } | sed 's/-/\\-/g'
}

help() {
    if [ "${BANKSHOT_HELP:-}" = manual ]; then
        manual
        return
    fi
    printf 'bankshot: %s\n\nUsage: bankshot COMMAND [OPTION]...\n\nCommands:\n' "$SUMMARY"
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
    printf '\n  fleet      %s\n  pack       %s\n  plots      %s\n\n%s\n\nExit status: %s\n' "$FLEET" "$PACK" "$PLOTS" "$DESCRIPTION" "$EXIT_STATUS"
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
    case $2 in fleet | pack) exec sh "$data/scripts/$2.sh" --help ;; esac
    is_program "$2" || unknown "$2"
    exec "$folder/$prefix$2" --help
    ;;
--version | -V)
    version
    exit
    ;;
esac
if [ "$1" = plots ]; then
    shift
    BANKSHOT_REPORT=$folder/${prefix}report exec sh "$data/plots/draw.sh" "$@"
fi
case $1 in
fleet | pack)
    script=$data/scripts/$1.sh
    shift
    BANKSHOT_FRONT=$(cd "$here" && pwd)/${0##*/} exec sh "$script" "$@"
    ;;
esac
is_program "$1" || unknown "$1"
name=$1
shift
exec "$folder/$prefix$name" "$@"
