#!/bin/sh
# Writes a shell's completion of all programs, made from their tables of options.
#     sh scripts/build/completion.sh bash|zsh|fish BUILD PROGRAM...
# Values of a choice come from its table; variants, devices and GPUs are asked of the program when they are completed.
set -eu
shell=$1 build=$2
shift 2

# options PROGRAM: lines "NAME LETTER KIND CHOICES HELP", separated by tabs (util/help.h).
options() {
    BANKSHOT_HELP=options "$build/$1" --help
}

# values: awk that turns an option into what completes its value: words, a command in $(...), files, or nothing.
values='
function values(name, kind, choices) {
    if (kind == "choice") { gsub(/[|]/, " ", choices); return choices }
    if (name == "variant") return "$(" program " --list 2>/dev/null | cut -d \" \" -f 1) all"
    if (name == "gpu" || (kind == "operands" && program == "bankshot-parts"))
        return "$(" program " --list-gpus 2>/dev/null | cut -d \" \" -f 1)" (name == "gpu" ? " all" : "")
    if (name == "device") return "cpu all $(" program " --list-devices 2>/dev/null | sed -n \"s/^\\([a-z]*:[0-9]*\\) .*/\\1/p\") $(" \
        program " --list-gpus 2>/dev/null | sed \"1d; s/ .*//; s/^/sim:/\")"
    if (name == "explain") return "$(" program " --explain all 2>/dev/null | grep -o \"^[a-z][a-z0-9_]*\") all keys"
    return kind == "file" || kind == "operands" ? "FILES" : ""
}'

bash_completion() {
    cat <<'END'
# Completion of bankshot for bash.
_bankshot_words() { # sets current and previous, in which a colon separates nothing
    local line=${COMP_LINE:0:COMP_POINT}
    current=${line##* }
    line=${line%"$current"}
    line=${line%"${line##*[! ]}"}
    previous=${line##* }
}
_bankshot_values() { # WORDS: those that begin with the current one; of a list A,B its last part
    local head= colon=
    [[ $current != *,* ]] || head=${current%,*},
    COMPREPLY=($(compgen -P "$head" -W "$1" -- "${current##*,}"))
    [[ $current != *:* || $COMP_WORDBREAKS != *:* ]] || colon=${current%"${current##*:}"}
    COMPREPLY=("${COMPREPLY[@]#"$colon"}")
}
END
    for name; do
        echo "_bankshot_${name}() {"
        echo "    local current previous"
        echo "    _bankshot_words"
        echo "    COMPREPLY=()"
        echo "    case \$previous in"
        options "$name" | awk -F '\t' -v program="bankshot-$name" "$values"'
            $3 != "flag" && $3 != "operands" {
                text = values($1, $3, $4)
                pattern = "--" $1 ($2 != "" ? " | -" $2 : "")
                if (text == "FILES") print "    " pattern ") COMPREPLY=($(compgen -f -- \"$current\")); return ;;"
                else if (text != "") print "    " pattern ") _bankshot_values \"" text "\"; return ;;"
                else print "    " pattern ") return ;;"
            }'
        echo "    esac"
        echo "    if [[ \$current == -* ]]; then COMPREPLY=(\$(compgen -W \"$(options "$name" |
            awk -F '\t' '$3 != "operands" { printf "--%s ", $1 }')\" -- \"\$current\"))"
        options "$name" | awk -F '\t' -v program="bankshot-$name" "$values"'
            $3 == "operands" { text = values($1, $3, $4) }
            END {
                if (text == "FILES" || text == "") print "    else COMPREPLY=($(compgen -f -- \"$current\")); fi"
                else print "    else _bankshot_values \"" text "\"; fi"
            }'
        echo "}"
        echo "complete -o filenames -F _bankshot_${name} bankshot-$name"
    done
    cat <<END
_bankshot() {
    if [ "\$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=(\$(compgen -W "help fleet pack plots $*" -- "\${COMP_WORDS[1]}"))
    elif [ "\${COMP_WORDS[1]}" = help ]; then
        COMPREPLY=(\$(compgen -W "$*" -- "\${COMP_WORDS[2]}"))
    elif declare -F "_bankshot_\${COMP_WORDS[1]}" >/dev/null; then
        "_bankshot_\${COMP_WORDS[1]}"
    fi
}
complete -o filenames -F _bankshot bankshot
END
}

zsh_function='function function_of(name) { return "_" program "_" name }'

# zsh_words PROGRAM: a function for each option with a list of words, because an action of _arguments holds no colon.
zsh_words() {
    options "$1" | awk -F '\t' -v program="bankshot-$1" "$values$zsh_function"'
        {
            text = values($1, $3, $4)
            if ($3 != "flag" && $3 != "choice" && text != "" && text != "FILES")
                print function_of($1) "() { " ($1 == "explain" ? "" : "_sequence ") "compadd - ${=:-" text "} }"
        }'
}

zsh_completion() {
    echo "#compdef bankshot$(printf ' bankshot-%s' "$@")"
    for name; do
        zsh_words "$name"
        echo "_bankshot_${name}() {"
        echo "    _arguments -s \\"
        options "$name" | awk -F '\t' -v program="bankshot-$name" "$values$zsh_function"'
            { gsub(/\[|\]|:|\\/, "\\\\&", $5); gsub(/\047/, "\047\\\047\047", $5) }
            $3 == "operands" {
                print "        \047*" (values($1, $3, $4) == "FILES" ? ":file:_files" : ":value:" function_of($1)) "\047 \\"
                next
            }
            {
                text = values($1, $3, $4)
                action = $3 == "flag" ? "" : text == "FILES" ? ":file:_files" : ":value:" (text == "" ? "" : function_of($1))
                if ($3 == "choice") action = ":value:(" text ")"
                gsub(/\047/, "\047\\\047\047", action)
                if ($2 != "") print "        \047(-" $2 " --" $1 ")\047{-" $2 ",--" $1 "}\047[" $5 "]" action "\047 \\"
                else print "        \047--" $1 "[" $5 "]" action "\047 \\"
            }'
        echo "        && return"
        echo "}"
    done
    cat <<END
case \$service in
bankshot-*) "_bankshot_\${service#bankshot-}" ;;
bankshot)
    if (( CURRENT == 2 )) || [[ \$words[2] == help ]]; then
        compadd help fleet pack plots $*
    else
        local name=\$words[2]
        shift words
        (( CURRENT-- ))
        (( \$+functions[_bankshot_\$name] )) && "_bankshot_\$name"
    fi
    ;;
esac
END
}

fish_completion() {
    echo "# Completion of bankshot for fish."
    echo "complete -c bankshot -n __fish_use_subcommand -f -a 'help fleet pack plots $*'"
    echo "complete -c bankshot -n '__fish_seen_subcommand_from help' -f -a '$*'"
    for name; do
        options "$name" | awk -F '\t' -v program="bankshot-$name" -v name="$name" "$values"'
            $3 == "operands" && values($1, $3, $4) == "FILES" { next }
            {
                gsub(/[\\\047]/, "\\\\&", $5)
                text = values($1, $3, $4)
                gsub(/\$\(/, "(", text)
                line = ($2 != "" ? " -s " $2 : "") ($1 != "" ? " -l " $1 : "") " -d \047" $5 "\047"
                if ($3 == "operands") line = line " -f"
                else if ($3 != "flag") line = line " -r" (text == "FILES" ? "" : " -f")
                if (text != "FILES" && text != "" && $3 != "flag") {
                    gsub(/\047/, "\\\047", text)
                    gsub(/ 2>.dev.null/, " 2>/dev/null", text)
                    line = line " -a \047" text "\047"
                }
                print "complete -c " program line
                print "complete -c bankshot -n \047__fish_seen_subcommand_from " name "\047" line
            }'
    done
}

"${shell}_completion" "$@"
