# What the scripts say of their options: sourced before a script changes the folder. Nothing else is needed.
# shellcheck shell=sh

# answer_help SCRIPT WORD...: prints the comment at the script's head and ends if a word asks for it.
answer_help() {
    script=$1
    shift
    for word; do
        case $word in
        -h | --help)
            sed -n '1d; /^#/!q; s/^# \{0,1\}//p' "$script"
            exit
            ;;
        esac
    done
}

# check_options SCRIPT KNOWN WORD...: the same, and refuses options that are not in the list KNOWN.
check_options() {
    script=$1 known=$2
    shift 2
    answer_help "$script" "$@"
    for word; do
        case $word in -*) ;; *) continue ;; esac
        case " $known " in *" ${word%%=*} "*) continue ;; esac
        script=${script##*/}
        echo "${script%.sh}: unknown option $word: see --help" >&2
        exit 2
    done
}
