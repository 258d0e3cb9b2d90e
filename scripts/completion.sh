#!/bin/sh
# Writes a shell's completion of all programs, made from their tables of options.
#     sh scripts/completion.sh bash|zsh|fish BUILD PROGRAM...
# Values of a choice come from its table; variants, devices and GPUs are asked of the program when they are completed.
set -eu
shell=$1 build=$2
shift 2

# options PROGRAM: lines "NAME SHORT KIND CHOICES HELP", separated by tabs, from the table of options that --help prints. The kind is
# flag, choice, file, operands or value.
options() {
    "$build/$1" --help | awk -v OFS='\t' '
        function flush() { if (name != "") print name, letter, kind, choices, help; name = "" }
        /^  (-|[A-Z] )/ {
            flush()
            head = substr($0, 3)
            help = ""
            if (match(head, /   */)) { help = substr(head, RSTART + RLENGTH); head = substr(head, 1, RSTART - 1) }
            letter = head ~ /^-[^-]/ ? substr(head, 2, 1) : ""
            sub(/^-., /, "", head)
            name = head
            sub(/ .*/, "", name)
            value = head == name ? "" : substr(head, length(name) + 2)
            choices = value ~ /^[a-z0-9+|-]+[|][a-z0-9+|-]+$/ ? value : ""
            kind = name !~ /^--/ ? "operands" : value == "" ? "flag" : choices != "" ? "choice" : value ~ /^FILE/ ? "file" : "value"
            sub(/^--/, "", name)
            open = 1
            next
        }
        open && /^      / { sub(/^ +/, ""); help = help (help == "" ? "" : " ") $0; next }
        { flush(); open = 0 }
        END { flush() }'
}

# values: awk that turns an option into what completes its value: words, a command in $(...), files, or nothing.
values='
function values(name, kind, choices) {
    if (kind == "choice") { gsub(/[|]/, " ", choices); return choices }
    if (name == "variant") return "$(" program " --list 2>/dev/null | cut -d \" \" -f 1) all"
    if (name == "gpu") return "$(" program " --list-gpus 2>/dev/null | cut -d \" \" -f 1) all"
    if (name == "device") return "cpu all $(" program " --list-devices 2>/dev/null | sed -n \"s/^\\([a-z]*:[0-9]*\\) .*/\\1/p\") $(" \
        program " --list-gpus 2>/dev/null | sed \"1d; s/ .*//; s/^/sim:/\")"
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
        echo "    else COMPREPLY=(\$(compgen -f -- \"\$current\")); fi"
        echo "}"
        echo "complete -o filenames -F _bankshot_${name} bankshot-$name"
    done
    cat <<END
_bankshot() {
    if [ "\$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=(\$(compgen -W "help plots $*" -- "\${COMP_WORDS[1]}"))
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
                print function_of($1) "() { _sequence compadd - ${=:-" text "} }"
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
            $3 == "operands" { print "        \047*:file:_files\047 \\"; next }
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
        compadd help plots $*
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
    echo "complete -c bankshot -n __fish_use_subcommand -f -a 'help plots $*'"
    echo "complete -c bankshot -n '__fish_seen_subcommand_from help' -f -a '$*'"
    for name; do
        options "$name" | awk -F '\t' -v program="bankshot-$name" -v name="$name" "$values"'
            $3 == "operands" { next }
            {
                gsub(/[\\\047]/, "\\\\&", $5)
                text = values($1, $3, $4)
                gsub(/\$\(/, "(", text)
                line = ($2 != "" ? " -s " $2 : "") " -l " $1 " -d \047" $5 "\047"
                if ($3 != "flag") line = line " -r" (text == "FILES" ? "" : " -f")
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
