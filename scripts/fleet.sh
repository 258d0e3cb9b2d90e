#!/bin/sh
# Measures every GPU of many nodes and says which are not like the rest (docs/fleet.md):
#   bankshot fleet --node DIR                       on each node, by srun, mpirun or the next line
#   bankshot fleet --hosts LIST [--by 'ssh %'] DIR  on each host of the list, through a shell on it
#   bankshot fleet --judge DIR... [--against DIR]   which GPUs are slow, wrong or missing
# A GPU's rows go to DIR/HOST/GPU/*.csv, what went wrong to DIR/HOST/GPU/fault, so that no two nodes write one file. A GPU that has
# finished is not measured again, so a fleet that was interrupted goes on where it was.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
front=${BANKSHOT_FRONT:-$here/bankshot.sh} # scripts/bankshot.sh, or bankshot where it is installed

# What a node's health is judged by: a line NAME PROGRAM OPTION... for each run, with points that are the same on every node. links gets
# all GPUs of a node at once, the others one.
RUNS='gmem gmem --variant read,write,copy --width 16
stride gmem --variant stride-copy --width 4
smem smem --variant load --width 4,8,16 --stride 1,2,32
levels levels --variant latency,bandwidth --footprint 16K,1M,256M
links links --footprint 64M'

usage() {
    cat <<'END'
fleet: measure every GPU of many nodes, and say which are not like the rest

Usage: bankshot fleet --node DIR
       bankshot fleet --hosts LIST [--by COMMAND] DIR
       bankshot fleet --judge DIR... [OPTION]...

  --node               measure this node's GPUs into DIR/HOST, which each node
                       can reach: srun --ntasks-per-node=1 bankshot fleet
                       --node DIR
  --health             measure what tells a GPU's health, all of a node at the
                       same time, which is the default
  --hosts LIST         names with commas, or a file with one a line: measure
                       there, then judge; with --judge: the hosts that must
                       be there
  --by COMMAND         how to run a command on the host % (default 'ssh %')
  --parallel N         hosts at the same time (default 32)
  --runs FILE          what to measure, a line NAME PROGRAM OPTION... a run,
                       instead of gmem, stride, smem, levels and links
  --limit SECONDS      the longest that a program may take (default 120)
  --judge              compare each row with the same row of the other GPUs of
                       its model, by their median
  --against DIR        and with the rows of this folder, such as results/h200
  --since DIR          and each GPU with itself in this folder, into which the
                       same fleet was measured before
  --threshold PERCENT  a difference that does not matter (default 3)
  --csv FILE           every row that stands out; - is standard output
  --junit FILE         one JUnit test case for each GPU, for CI
  --page FILE          a page for a browser: hosts by variants as a heat map
  --help               show this and exit

Exit status: 0 all alike, 1 a GPU stands out, failed or is missing, 2 usage.
END
}

# stop STATUS WHAT
stop() {
    echo "fleet: $2" >&2
    exit "$1"
}

# value OPTION COUNT VALUE: the option's value, where so many arguments are left.
value() {
    [ "$2" -gt 1 ] || stop 2 "$1 needs a value: see bankshot fleet --help"
    printf '%s' "$3"
}

# number OPTION VALUE
number() {
    case $2 in '' | *[!0-9.]* | *.*.* | .) stop 2 "$1 $2: it is not a number: give one above 0" ;; esac
    awk -v value="$2" 'BEGIN { exit !(value > 0) }' || stop 2 "$1 $2: it is too small: give one above 0"
}

task='' health='' hosts='' by='ssh %' runs='' parallel=32 limit=120 against='' since='' threshold=3 csv='' junit='' page=''
# read_options ARGUMENT...: what is left of them goes to $folders, one a line.
read_options() {
    folders=''
    while [ $# -gt 0 ]; do
        option=$1
        case $1 in
        --help | -h) usage && exit ;;
        --node | --judge)
            [ -z "$task" ] || stop 2 "$1: --node and --judge are two tasks: give one"
            task=${1#--}
            shift
            continue
            ;;
        --health)
            health=yes
            shift
            continue
            ;;
        --*=*)
            given=${1#*=}
            option=${1%%=*}
            shift
            set -- "$option" "$given" "$@"
            ;;
        -*) ;;
        *)
            folders="$folders${1%/}
"
            shift
            continue
            ;;
        esac
        case $option in --hosts | --by | --runs | --parallel | --limit | --against | --since | --threshold | --csv | --junit | --page) ;;
        *) stop 2 "unknown option $option: see bankshot fleet --help" ;;
        esac
        given=$(value "$option" $# "${2:-}") || exit
        case $option in
        --hosts) hosts=$given ;;
        --by) by=$given ;;
        --runs) runs=$given ;;
        --parallel)
            case $given in *.*) stop 2 "--parallel $given: it is not a whole number: give one above 0" ;; esac
            number "$option" "$given" && parallel=$given
            ;;
        --limit) number "$option" "$given" && limit=$given ;;
        --against) against=$given ;;
        --since) since=$given ;;
        --threshold) number "$option" "$given" && threshold=$given ;;
        --csv) csv=$given ;;
        --junit) junit=$given ;;
        --page) page=$given ;;
        esac
        shift 2
    done
    [ -n "$folders" ] || stop 2 "no folder is given: name the one that every node can reach"
    if [ -z "$task" ]; then
        [ -n "$hosts" ] || stop 2 "nothing to do: give --node, --judge or --hosts"
        task=hosts
    fi
    [ "$task" = judge ] || [ "$(printf '%s' "$folders" | wc -l)" -eq 1 ] || stop 2 "several folders are given: one is measured into"
    folder=${folders%%
*}
    [ -z "$runs" ] || [ -z "$health" ] || stop 2 "--health and --runs both say what to measure: give one"
    [ -z "$health" ] || [ "$task" != judge ] || stop 2 "--health measures, --judge does not: give one"
    [ -z "$runs" ] || read_runs
}

# read_runs: checks the lines of --runs.
read_runs() {
    [ -f "$runs" ] || stop 2 "--runs $runs: there is no such file: name one with a line NAME PROGRAM OPTION... a run"
    RUNS=$(sed 's/#.*//; /^[[:space:]]*$/d' "$runs")
    wrong=$(echo "$RUNS" | grep -vE '^[A-Za-z0-9-]+ +[a-z]+( |$)' | head -n 1)
    [ -n "$RUNS" ] || wrong='no line is in it'
    [ -z "$wrong" ] || stop 2 "--runs $runs: $wrong: give NAME PROGRAM OPTION..., such as copy gmem --variant copy"
    runs=$(cd "$(dirname "$runs")" && pwd)/${runs##*/}
}

# list_hosts: the names in --hosts, one a line.
list_hosts() {
    if [ -f "$hosts" ]; then
        sed 's/#.*//; s/[[:space:]]//g; /^$/d' "$hosts"
    else
        echo "$hosts" | tr , '\n' | sed '/^$/d'
    fi
}

# check_hosts NAME...: refuses what can be no host's name, such as the path of a file that is not there.
check_hosts() {
    for each in "$@"; do
        case $each in *[!A-Za-z0-9._:@-]* | -*) stop 2 "--hosts $hosts: $each is no host's name, and no file: name hosts, or a file with them" ;; esac
    done
}

# ---- A node ----

# This node's name, as a folder's.
host_name() {
    name=${BANKSHOT_HOST:-$(uname -n)}
    printf '%s' "$name" | tr -c 'A-Za-z0-9._-' -
}

# note FOLDER WHAT: what went wrong, also on standard error, because the disk may be full.
note() {
    echo "fleet: $host: $2" >&2
    mkdir -p "$1" && echo "$2" >>"$1/fault"
}

# state FILE: what the driver says of errors and throttling, where it has the tool for it.
state() {
    timeout -k 5 "$limit" nvidia-smi --query-gpu=index,serial,pci.bus_id,driver_version,ecc.errors.uncorrected.volatile.total,clocks_throttle_reasons.active \
        --format=csv >"$1" 2>/dev/null || rm -f "$1"
}

# measure FOLDER DEVICES NAME PROGRAM OPTION...: one run into FOLDER/NAME.csv, which is there only if it ended well. It stays in the
# foreground, where an interruption from the keyboard reaches it.
measure() {
    into=$1 devices=$2 name=$3 program=$4
    shift 4
    [ ! -s "$into/$name.csv" ] || return 0
    timeout --foreground -k 5 "$limit" sh "$front" "$program" --device "$devices" --quiet --csv "$into/$name.csv.part" "$@" >"$into/$name.log" 2>&1
    ended=$?
    case $ended in
    0) mv "$into/$name.csv.part" "$into/$name.csv" && rm -f "$into/$name.log" && return ;;
    124 | 137) note "$into" "$name: it did not end within $limit s" ;;
    *) note "$into" "$name: status $ended: $(grep . "$into/$name.log" | tail -n 1 | cut -c 1-200)" ;;
    esac
    return 1
}

# measure_part FOLDER DEVICES RUNS: those of one GPU, or of the whole node.
measure_part() {
    [ ! -e "$1/done" ] && [ -n "$3" ] || return 0
    mkdir -p "$1" || exit 1
    rm -f "$1/fault"
    echo "$3" | while read -r name program options; do
        # shellcheck disable=SC2086 # a list of options
        measure "$1" "$2" "$name" "$program" $options || break # what hung once would hang again
    done
    [ -e "$1/fault" ] || : >"$1/done"
}

# first_reason: why the first kind of GPU in a list of devices is not available, as one line.
first_reason() {
    awk '!found && sub(/.*unavailable: /, "") { found = 1; text = $0; next }
        found && !/^ / || /looked in:/ { exit }
        found { sub(/^ +/, " "); text = text $0 }
        END { print text }'
}

# One GPU of this node, in a process of its own.
measure_gpu() {
    measure_part "$folder/$host/$(echo "$1" | tr : -)" "$1" "$(echo "$RUNS" | awk '$2 != "links"')"
}

# All GPUs at the same time, because they share nothing but the processor, which only starts their kernels; then their links, which they do
# share. xargs keeps them in the foreground, so that an interruption reaches them.
measure_node() {
    mkdir -p "$folder/$host" 2>/dev/null || stop 1 "$folder/$host: the folder cannot be made: check its parent and the disk"
    if [ "${SLURM_PROCID:-}" = 0 ] && command -v scontrol >/dev/null; then
        scontrol show hostnames >"$folder/hosts"
    fi
    rm -f "$folder/$host/fault"
    listed=$(timeout -k 5 "$limit" sh "$front" gmem --list-devices 2>&1)
    gpus=$(echo "$listed" | awk '$1 ~ /^(cuda|hip):[0-9]+$/ && $2 != "unavailable:" { print $1 }')
    if [ -z "$gpus" ]; then
        note "$folder/$host" "no GPU is here: $(echo "$listed" | first_reason)"
        return 1
    fi
    state "$folder/$host/state-before.csv"
    echo "$gpus" | xargs -P "$(echo "$gpus" | wc -l)" -I {} env BANKSHOT_FLEET_GPU={} sh "$here/fleet.sh" --node --limit "$limit" \
        ${runs:+--runs "$runs"} "$folder"
    [ "$(echo "$gpus" | wc -l)" -lt 2 ] ||
        measure_part "$folder/$host/machine" "$(echo "$gpus" | paste -s -d , -)" "$(echo "$RUNS" | awk '$2 == "links"')"
    state "$folder/$host/state-after.csv"
    ! ls "$folder/$host"/*/fault >/dev/null 2>&1
}

# ---- Many hosts ----

# quoted TEXT: as one word of a shell.
quoted() {
    printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

measure_hosts() {
    names=$(list_hosts) # which may be of the file that is written next
    [ -n "$names" ] || stop 2 "--hosts $hosts: no host is in it"
    # shellcheck disable=SC2086 # a list of words
    check_hosts $names
    mkdir -p "$folder" 2>/dev/null || stop 1 "$folder: the folder cannot be made: check its parent and the disk"
    echo "$names" >"$folder/hosts" || exit 1
    there=$(cd "$folder" && pwd)
    command="sh $(quoted "$front") fleet --node --limit $limit ${runs:+--runs $(quoted "$runs")} $(quoted "$there")"
    longest=$(awk -v limit="$limit" -v lines="$(echo "$RUNS" | wc -l)" 'BEGIN { print limit * lines * 8 }')
    export by command longest
    # shellcheck disable=SC2016 # the inner shell's variables
    xargs -P "$parallel" -I {} sh -c '
        start=$(echo "$by" | sed "s/%/$1/g")
        timeout -k 5 "$longest" $start "$command" </dev/null 2>&1 | sed "s/^fleet: $1: //; s/^/$1: /" >&2' sh {} <"$folder/hosts"
    task=judge hosts=$folder/hosts
    judge
}

# ---- The verdict ----

judge() {
    set --
    while IFS= read -r each; do
        [ -z "$each" ] || set -- "$@" "$each"
    done <<END
$folders
END
    [ -z "$hosts" ] || set -- "$@" --hosts "$hosts"
    [ -z "$against" ] || set -- "$@" --against "$against"
    [ -z "$since" ] || set -- "$@" --since "$since"
    [ -z "$csv" ] || set -- "$@" --csv "$csv"
    [ -z "$junit" ] || set -- "$@" --junit "$junit"
    [ -z "$page" ] || set -- "$@" --page "$page"
    sh "$front" judge --threshold "$threshold" "$@"
}

read_options "$@"
case $task in
node)
    host=$(host_name)
    if [ -n "${BANKSHOT_FLEET_GPU:-}" ]; then measure_gpu "$BANKSHOT_FLEET_GPU"; else measure_node; fi
    ;;
hosts) measure_hosts ;;
judge) judge ;;
esac
