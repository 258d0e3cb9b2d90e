#!/bin/sh
# The command in front of all, suggestions for what is mistyped, and completion in real shells.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

built "$BUILD/gmem"
for program in "$BUILD"/gmem "$BUILD"/lanes "$BUILD"/parts "$BUILD"/compare; do
    ln -s "$(cd "$BUILD" && pwd)/${program##*/}" "$work/bankshot-${program##*/}"
done
install -m 755 scripts/bankshot.sh "$work/bankshot"
PATH=$work:$PATH
front=$work/bankshot

test_front() {
    run "$front" help
    is "bankshot help: status and commands" "$status $(awk '/^  [a-z]/ { printf "%s ", $1 }' "$work/out")" "0 compare gmem lanes parts fleet pack plots "
    is "bankshot help is 80 columns wide" "$(awk 'length > 80' "$work/out")" ""
    is "make help is 80 columns wide" "$(make -s help | awk 'length > 80')" ""
    run "$front" gmem --version
    is "bankshot gmem --version" "$status $(cut -d ' ' -f 1,2 "$work/out")" "0 bankshot gmem"
    run "$front" --version
    is "bankshot --version" "$status $(cat "$work/out")" "0 bankshot $("$BUILD/gmem" --version | cut -d ' ' -f 3-)"
    for program in lanes compare parts; do
        is "bankshot $program --version" "$("$front" "$program" --version)" "$(sed "s/ / $program /" "$work/out")"
    done
    run "$front" help lanes
    check "bankshot help lanes" grep -q -e '--space' "$work/out"
    refuses "bankshot of no command" 2 "$front" gnem
    is "it names the commands that may have been meant" "$(cat "$work/err")" "bankshot: gnem: no such command: did you mean gmem? see bankshot help"
    run "$BUILD/lanes" --device sim:h200,mi210 --stride 2
    is "lanes takes the probes' names of simulated GPUs" "$(cat "$work/out")" "$("$BUILD/lanes" --gpu h200,mi210 --stride 2)"
    refuses "bankshot of a path" 2 "$front" ../bin/sh
    refuses "a program calls itself by its installed name" 2 "$front" gmem --nonsense
    is "the message has that name" "$(cut -d : -f 1 "$work/err")" bankshot-gmem
    run env BUILD="$BUILD" sh scripts/bankshot.sh help
    check "in a source tree it finds the build" grep -q '^  gmem ' "$work/out"
}

# suggests WHAT COMMAND...: the message names what was probably meant.
suggests() {
    wanted=$1
    shift
    run "$@"
    check "$*: did you mean $wanted" grep -qF "did you mean $wanted?" "$work/err"
}

test_suggestions() {
    suggests --variant "$BUILD/gmem" --varaint copy
    suggests --threshold "$BUILD/compare" --treshold 3
    suggests stride-copy "$BUILD/gmem" --variant stride_copy
    suggests "sim:h200, the simulated GPU" "$BUILD/gmem" --device h200
    suggests cuda:0 "$BUILD/gmem" --device cuba:0
    suggests h200 "$BUILD/lanes" --gpu h20
    refuses "nothing is near to this option" 2 "$BUILD/gmem" --xyzzy
    is "so nothing is suggested" "$(grep -c 'did you mean' "$work/err")" 0
}

# A line as bash's readline would hand it over.
complete_bash() {
    bash -c '. "$1"
        COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDS=($2)
        [[ $2 != *" " ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        ${3}
        echo "${COMPREPLY[*]}"' bash "$work/completion/bash" "$1" "$2"
}

complete_fish() {
    HOME=$work fish --no-config -c "source '$work/completion/fish'; complete -C '$1'" | cut -f 1 | tr '\n' ' ' | sed 's/ $//'
}

complete_zsh() {
    timeout 60 zsh -f tests/shell/complete.zsh "$work/completion" "$1"
}

# A verdict is coloured where a terminal takes it, and nowhere else. MPI gives a rank a terminal of which a file may get the text.
test_colour() {
    cached="$BUILD/gmem --device cpu --variant copy --width 4 --elements 1K --min-time 0 --max-time 0.02 --quiet"
    command -v script >"$work/null" || { skip "colour in a terminal" "script of util-linux is not here"; return; }
    for case in "a terminal:TERM=xterm:1" "a terminal without colours:TERM=dumb:0" "NO_COLOR in a terminal:TERM=xterm NO_COLOR=1:0" \
        "a rank of MPI:TERM=xterm PMIX_RANK=0:0" "a rank that is asked for them:CLICOLOR_FORCE=1 PMIX_RANK=0:1" \
        "a terminal where nothing is forced:TERM=xterm CLICOLOR_FORCE=0:1"; do
        settings=${case#*:}
        # shellcheck disable=SC2086 # a list of settings
        env -u NO_COLOR ${settings%:*} script -qec "$cached" "$work/null" >"$work/out" 2>&1 </dev/null
        is "colours in ${case%%:*}" "$(grep -c "$(printf '\033\[3[13]m')" "$work/out")" "${case##*:}"
    done
    # shellcheck disable=SC2086 # a command and its options
    TERM=xterm $cached >"$work/out" 2>"$work/err"
    is "colours in a file" "$(grep -c "$(printf '\033')" "$work/out")" 0
}

# Several verdicts and a headline take as many lines as the terminal needs, and one line each in a file.
test_width() {
    several="$BUILD/gmem --device cpu --variant copy,read,write --width 4 --elements 64K --samples 9 --noise 100 --peak 0.001 --quick --quiet"
    for columns in 80 ''; do
        # shellcheck disable=SC2086 # a command and its options
        env COLUMNS=$columns $several >"$work/out" 2>"$work/err"
        is "all verdicts are there with COLUMNS=$columns" "$(tr -d ' \n' <"$work/out" | grep -o "above-peak+cache-resident" | wc -l)" 3
        if [ "$columns" ]; then
            is "beyond 80 columns in a terminal that has them" "$(awk 'length > 80' "$work/out")" ""
        else
            is "in a file each row and the headline are a line" "$(grep -c . "$work/out")" 5
        fi
    done
}

test_shells() {
    everything || return 0
    mkdir "$work/completion"
    for shell in bash zsh fish; do
        check "completion for $shell is made" sh -c "sh scripts/build/completion.sh $shell '$BUILD' gmem lanes parts compare >'$work/completion/$shell'"
    done
    if command -v bash >"$work/null"; then
        is "bash: a command" "$(complete_bash 'bankshot gm' _bankshot)" gmem
        is "bash: an option" "$(complete_bash 'bankshot gmem --vari' _bankshot)" --variant
        is "bash: a variant" "$(complete_bash 'bankshot-gmem --variant stri' _bankshot_gmem)" stride-copy
        is "bash: the second of a list" "$(complete_bash 'bankshot-gmem -v copy,driv' _bankshot_gmem)" copy,driver-copy
        is "bash: a choice" "$(complete_bash 'bankshot-gmem --cache ' _bankshot_gmem)" "cold warm"
        is "bash: a column" "$(complete_bash 'bankshot-gmem --explain passes' _bankshot_gmem)" "passes passes_per_request"
        is "bash: a GPU that is no option's value" "$(complete_bash 'bankshot-parts rtx40' _bankshot_parts)" "rtx4070 rtx4090"
        is "bash: a device with a colon" "$(complete_bash 'bankshot-gmem --device sim:mi21' _bankshot_gmem)" mi210
    else
        skip "completion in bash" "it is not here"
    fi
    if command -v fish >"$work/null"; then
        is "fish: a command" "$(complete_fish 'bankshot gm')" gmem
        is "fish: an option" "$(complete_fish 'bankshot gmem --vari')" --variant
        is "fish: a variant" "$(complete_fish 'bankshot-gmem --variant stri')" stride-copy
        is "fish: a choice" "$(complete_fish 'bankshot gmem --cache ')" "cold warm"
        is "fish: a column" "$(complete_fish 'bankshot gmem --explain passes')" "passes passes_per_request"
        is "fish: a GPU that is no option's value" "$(complete_fish 'bankshot-parts rtx4070')" rtx4070
        is "fish: a device" "$(complete_fish 'bankshot-gmem --device sim:mi21')" sim:mi210
    else
        skip "completion in fish" "it is not here"
    fi
    if command -v zsh >"$work/null"; then
        cp "$work/completion/zsh" "$work/completion/_bankshot"
        is "zsh: a command" "$(complete_zsh 'bankshot gm')" "bankshot gmem "
        is "zsh: an option" "$(complete_zsh 'bankshot gmem --vari')" "bankshot gmem --variant "
        is "zsh: a variant" "$(complete_zsh 'bankshot-gmem --variant stri')" "bankshot-gmem --variant stride-copy,"
        is "zsh: the second of a list" "$(complete_zsh 'bankshot-gmem -v copy,driv')" "bankshot-gmem -v copy,driver-copy,"
        is "zsh: a choice" "$(complete_zsh 'bankshot-gmem --cache co')" "bankshot-gmem --cache cold "
        is "zsh: a column" "$(complete_zsh 'bankshot-gmem --explain passes_')" "bankshot-gmem --explain passes_per_request "
        is "zsh: a device" "$(complete_zsh 'bankshot-gmem --device sim:mi21')" "bankshot-gmem --device sim:mi210,"
    else
        skip "completion in zsh" "it is not here"
    fi
}

test_front
test_suggestions
test_colour
test_width
test_shells
finish
