#!/bin/sh
# Checks a folder of results and packs it to give it back (docs/contribute.md):
#   bankshot pack DIR [--output FILE.tar.gz] [--keep-names]
# Reads DIR/*.csv and DIR/*/*.csv. A file that is not of bankshot's probes is left out and named. The folder stays as it is: names of
# hosts, serial numbers and folders are taken out of the copies, unless --keep-names is given.
set -u
export LC_ALL=C # names are found in text of any encoding
here=$(cd "$(dirname "$0")" && pwd) || exit 1
SCHEMA=1 # ROWS_SCHEMA of util/version.h
SHOWN=10 # faults

usage() {
    cat <<'END'
pack: check a folder of results and pack it to give it back

Usage: bankshot pack DIR [OPTION]...

  -o, --output FILE      the archive (DIR's name with .tar.gz, in this folder)
      --keep-names       keep names of hosts, serial numbers and folders
      --help             show this and exit

The folder is refused, and the row is named, if a row's result was wrong, if it
is faster than the memory's peak, or if it lacks what identifies it.

Exit status: 0 packed, 1 a row or a file has a fault, 2 usage.
END
}

# stop STATUS WHAT
stop() {
    echo "pack: $2" >&2
    exit "$1"
}

# set_output FILE
set_output() {
    [ -n "$1" ] || stop 2 "--output needs a value: name the archive"
    [ ! -d "$1" ] || stop 2 "--output $1: it is a folder: name a file in it"
    output=$1
}

# read_options ARGUMENT...
read_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        --help | -h) usage && exit ;;
        --keep-names) keep_names=yes ;;
        --output=*) set_output "${1#*=}" ;;
        -o | --output)
            [ $# -gt 1 ] || stop 2 "$1 needs a value: name the archive"
            set_output "$2"
            shift
            ;;
        -*) stop 2 "unknown option $1: see bankshot pack --help" ;;
        *)
            [ -z "$folder" ] || stop 2 "$1: a second folder is given: pack one at a time"
            folder=$1
            while [ "${folder%?}/" = "$folder" ] && [ "$folder" != / ]; do folder=${folder%/}; done
            ;;
        esac
        shift
    done
    [ -n "$folder" ] || stop 2 "no folder is given: name one with CSV files, such as results/here"
    [ -r "$folder" ] && [ -x "$folder" ] || [ ! -d "$folder" ] || stop 2 "$folder: it cannot be read: Permission denied"
    [ -d "$folder" ] || stop 2 "$folder: there is no such folder: name one with CSV files"
    name=$(cd "$folder" && basename "$PWD")
    output=${output:-$name.tar.gz}
}

# check_file FILE: its summary goes to $work/facts, its faults to $work/faults. Fails if it has no rows to pack.
check_file() {
    awk -v SCHEMA="$SCHEMA" -f "$here/pack.awk" -f "$here/csv.awk" "$1" >"$work/found" || stop 1 "$1: it cannot be read"
    [ "$(tr -d '\000' <"$1" | wc -c)" -eq "$(wc -c <"$1")" ] || echo 'fault	1: a zero byte stands in it' >>"$work/found"
    [ -z "$(tail -c 1 "$1")" ] || printf 'fault\t%s: the last line is torn\n' "$(($(wc -l <"$1") + 1))" >>"$work/found"
    left=$(sed -n 's/^foreign	//p' "$work/found")
    if [ -n "$left" ]; then
        echo "pack: $1: left out: $left" >&2
        return 1
    fi
    sed -n 's/^fault	//p' "$work/found" | while IFS= read -r fault; do echo "pack: $1:$fault: measure it again or leave it out"; done >>"$work/faults"
    grep -av '^fault' "$work/found" >>"$work/facts"
    echo "| \`${1#"$folder"/}\` | $(sed -n 's/^version	//p' "$work/found") | $(sed -n 's/^summary	//p' "$work/found") |" >>"$work/table"
}

# hosts FILE...: the hosts' names in the metadata.
hosts() {
    sed -n 's/^# host: \([^, ][^, ]*\), .*/\1/p' "$@" | sort -u
}

# without_names FILE: with the last part of each path, without the host's name and serial numbers.
without_names() {
    awk '
        !/^#/ { print; next }
        tolower(substr($0, 1, index($0, ": "))) ~ /serial|uuid/ { next }
        { sub(/^# host: [^, ]+, /, "# host: ") }
        {
            while (match($0, /[ =,]\/[^ =,]*\//)) $0 = substr($0, 1, RSTART) substr($0, RSTART + RLENGTH)
            print
        }' "$1"
}

# copy_file FILE FOLDER
copy_file() {
    to=$2/${1#"$folder"/}
    mkdir -p "$(dirname "$to")" || exit 1
    if [ -n "$keep_names" ]; then cp "$1" "$to"; else without_names "$1" >"$to"; fi || exit 1
}

# facts KIND: those of all files, each once, in one line.
facts() {
    sed -n "s/^$1	//p" "$work/facts" | sort -u | awk 'NF { text = text (text == "" ? "" : "; ") $0 } END { print text }'
}

write_readme() {
    printf '# %s\n\n' "$(facts device)"
    printf 'Measured: %s. Drivers: %s.\n\n' "$(facts date)" "$(facts driver)"
    printf '| file | written by | rows | verdicts |\n|---|---|---|---|\n'
    cat "$work/table"
    printf '\nRows of schema %s, checked by bankshot pack.\n' "$SCHEMA"
    if [ -f "$folder/README.md" ]; then
        printf '\n## Notes\n\n'
        cat "$folder/README.md"
    fi
}

# find_names FOLDER: refuses if a host's name is still there, as in the notes or in a row.
find_names() {
    [ -z "$keep_names" ] || return 0
    hosts "$@" | while IFS= read -r host; do
        for each in "$host" "${host%%.*}"; do
            place=$(grep -rnaiwF -e "$each" "$copy" | head -n 1 | sed "s|^$copy/||" | cut -d : -f 1,2)
            [ -z "$place" ] || echo "pack: $place: it names the host $each: take the name out, or give --keep-names"
        done | head -n 1
    done >>"$work/faults"
}

# refuse_faults: ends with them, if there are any.
refuse_faults() {
    [ -s "$work/faults" ] || return 0
    head -n "$SHOWN" "$work/faults" >&2
    more=$(($(wc -l <"$work/faults") - SHOWN))
    [ "$more" -le 0 ] || echo "pack: $folder: $more more faults: nothing is packed" >&2
    exit 1
}

# archive: the same bytes for the same folder, where tar can do that.
archive() {
    if tar --version 2>/dev/null | grep -q GNU; then
        tar -C "$work/copy" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - "$name"
    else
        tar -C "$work/copy" -cf - "$name"
    fi | gzip -9n
}

folder='' output='' keep_names=''
read_options "$@"
work=$(mktemp -d "${TMPDIR:-/tmp}/bankshot-pack.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
: >"$work/faults"
: >"$work/facts"
: >"$work/table"
copy=$work/copy/$name
mkdir -p "$copy" || exit 1

for inner in "$folder"/*/; do
    [ ! -d "$inner" ] || { [ -r "$inner" ] && [ -x "$inner" ]; } || stop 2 "${inner%/}: it cannot be read: Permission denied"
done
set --
for file in "$folder"/*.csv "$folder"/*/*.csv; do
    [ -f "$file" ] && check_file "$file" || continue
    copy_file "$file" "$copy"
    set -- "$@" "$file"
done
[ $# -gt 0 ] || stop 1 "$folder: there is no row in it to pack: run a probe with --csv first"
refuse_faults
write_readme >"$copy/README.md"
find_names "$@"
refuse_faults
archive >"$work/archive" || stop 1 "$output: it cannot be made"
cp -- "$work/archive" "$output" 2>"$work/why" || stop 2 "$output: it cannot be written: $(sed -n '1s/.*: //p' "$work/why")"
echo "$output: $# files, $(sed -n 's/^summary	\([0-9]*\).*/\1/p' "$work/facts" | awk '{ rows += $1 } END { print rows }') rows"
