#!/bin/sh
# bankshot pack: a folder of results that is checked, packed and read again, faults that are named with their row, and the schema of rows.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

built "$BUILD/compare"
root=$PWD

# pack ARGUMENT...: in $work, where the archives go.
pack() {
    (cd "$work" && sh "$root/scripts/bankshot.sh" pack "$@")
}

# refuses_row NAME LINE WHAT SED: results with this change must be refused, and the line named with what is wrong.
refuses_row() {
    rm -rf "$work/fault"
    mkdir "$work/fault"
    sed "$4" results/h100/gmem.csv >"$work/fault/gmem.csv"
    pack fault >"$work/out" 2>"$work/err"
    is "$1: status" $? 1
    check "$1: the message names the line" grep -q "^pack: fault/gmem.csv:$2: .*$3" "$work/err"
    check "$1: nothing is written" [ ! -e "$work/fault.tar.gz" ]
}

test_results() {
    check "results/h200 is packed" pack "$root/results/h200"
    mkdir "$work/unpacked" && tar -xzf "$work/h200.tar.gz" -C "$work/unpacked"
    packed=$work/unpacked/h200
    check "it has a README" grep -q '^# NVIDIA H200$' "$packed/README.md"
    check "which counts rows by verdict" grep -q '^| `gmem.csv` | gmem 0.1.0 | 299 | .*279 ok' "$packed/README.md"
    check "and has the notes" grep -q '^# Measured on an NVIDIA H200' "$packed/README.md"
    check "report reads it again" "$BUILD/report" "$packed" -o "$work/page.html"
    check "compare finds every row the same" "$BUILD/compare" results/h200 "$packed" --csv "$work/compared.csv"
    is "compare: no row is slower or faster" "$(column verdict "$work/compared.csv" | tr ' ' '\n' | grep -Ec 'slower|faster')" 0
    is "every row is there" "$(cat "$packed"/*.csv | grep -vc '^#')" \
        "$(cd "$packed" && for file in *.csv; do cat "$root/results/h200/$file"; done | grep -vc '^#')"
    first=$(cksum <"$work/h200.tar.gz")
    pack "$root/results/h200" >"$work/out" 2>&1
    is "the archive is the same when it is packed again" "$(cksum <"$work/h200.tar.gz")" "$first"
}

test_faults() {
    row=$(grep -n '^gmem,' results/h100/gmem.csv | sed -n '5s/:.*//p')
    refuses_row "a wrong result" "$row" "verified is no" "${row}s/,yes,[a-z+-]*\$/,no,unverified/"
    refuses_row "a row above the peak" "$row" "above-peak" "${row}s/,yes,[a-z+-]*\$/,yes,above-peak/"
    refuses_row "a row without a verdict" "$row" "no verdict" "${row}s/,yes,[a-z+-]*\$/,yes,/"
    refuses_row "a missing field" "$row" "fields" "${row}s/,yes,[a-z+-]*\$//"
    refuses_row "a word for a number" "$row" "width_bytes is no number: four" "${row}s|^\(\([^,]*,\)\{9\}\)[0-9]*|\1four|"
    columns=$(grep '^probe,' results/h100/gmem.csv)
    place=$(echo "${columns%%,bandwidth_gb_s,*}" | tr , '\n' | wc -l | tr -d ' ')
    refuses_row "a bandwidth above the peak by an ok row" "$row" "faster than its peak" "${row}s/^\(\([^,]*,\)\{$place\}\)[^,]*/\11e308/"
    refuses_row "a bandwidth below 0" "$row" "bandwidth_gb_s is below 0: -1" "${row}s/^\(\([^,]*,\)\{$place\}\)[^,]*/\1-1/"
    refuses_row "a verdict that is none" "$row" "no such verdict: great" "${row}s/,ok\$/,great/"
    refuses_row "a probe that is none" "$row" "no such probe: zork" "${row}s/^gmem/zork/"
    refuses_row "a zero byte" "[0-9]*" "a zero byte" "${row}s/^gmem,/gmem\x00,/"
    refuses_row "a column that is there twice" "[0-9]*" "the column stride is there twice" 's/^probe,\(.*\),offset,/probe,\1,stride,/'
    refuses_row "a schema that is no number" "[0-9]*" "its schema is no number: foo" '1s/^/# schema: foo\n/'
    refuses_row "a file that does not say its command" "[0-9]*" "has the command" '/^# command/d'
    refuses_row "rows of a later schema" "[0-9]*" "schema 99" '1s/^/# schema: 99\n/'
    printf 'gmem,torn' >>"$work/fault/gmem.csv"
    sed -i '/schema/d' "$work/fault/gmem.csv"
    pack fault 2>"$work/err" >"$work/out"
    check "a torn line is named" grep -q 'fault/gmem.csv:.*torn' "$work/err"
}

# A run of today, on a machine with a name.
test_names() {
    mkdir -p "$work/mine/cpu"
    "$BUILD/gmem" --device cpu --variant read --elements 1K --min-time 0 --max-time 0.01 --quiet --csv "$work/mine/cpu/gmem.csv" >"$work/out"
    check "rows have a schema" grep -qx '# schema: 1' "$work/mine/cpu/gmem.csv"
    sed -i -e 's/^# host: [^,]*,/# host: node0117,/' -e 's|^# command: [^ ]*|# command: /home/ann/build/gmem|' \
        -e '2s/^/# cpu serial: 1650123\n/' -e 's/,above-peak$/,ok/' "$work/mine/cpu/gmem.csv"
    check "a folder of folders is packed" pack mine
    mkdir "$work/bare" && tar -xzf "$work/mine.tar.gz" -C "$work/bare"
    is "no name, serial number or folder is in it" "$(grep -rEc 'node0117|1650123|/home/ann' "$work/bare/mine/cpu/gmem.csv")" 0
    check "the rest of the metadata is" grep -q '^# host: Linux' "$work/bare/mine/cpu/gmem.csv"
    check "the folder keeps its names" grep -q '^# host: node0117,' "$work/mine/cpu/gmem.csv"
    check "pack --keep-names" pack mine --keep-names --output kept.tar.gz
    check "keeps them" sh -c 'tar -xzOf "$1" mine/cpu/gmem.csv | grep -q node0117' sh "$work/kept.tar.gz"
    echo "measured on node0117" >"$work/mine/README.md"
    pack mine >"$work/out" 2>"$work/err"
    is "notes that name the host are refused" "$? $(grep -c 'names the host node0117' "$work/err")" "1 1"
    sed -i 's/^# host: node0117,/# host: node0117.example.org,/' "$work/mine/cpu/gmem.csv"
    printf 'gemessen auf NODE0117 f\374r alle\n' >"$work/mine/README.md"
    LC_ALL=C.UTF-8 pack mine >"$work/out" 2>"$work/err"
    is "so are notes in another encoding, with other letters and without the domain" "$? $(grep -c 'names the host node0117' "$work/err")" "1 1"
}

test_usage() {
    refuses "pack without a folder" 2 sh scripts/bankshot.sh pack
    refuses "pack of a folder that is not there" 2 sh scripts/bankshot.sh pack "$work/none"
    refuses "pack --nonsense" 2 sh scripts/bankshot.sh pack --nonsense
    refuses "pack into no file" 2 sh scripts/bankshot.sh pack results/h100 --output=
    refuses "pack into a folder" 2 sh scripts/bankshot.sh pack results/h100 --output "$work"
    mkdir "$work/one" && cp results/h100/gmem.csv "$work/one/"
    refuses "pack into a folder that is not there" 2 sh scripts/bankshot.sh pack "$work/one" --output "$work/none/a.tar.gz"
    refuses "pack onto a full disk" 2 sh scripts/bankshot.sh pack "$work/one" --output /dev/full
    mkdir -p "$work/closed folders/inner" && chmod 000 "$work/closed folders/inner"
    if has_no_power; then
        # shellcheck disable=SC2046 # a list of words
        refuses "pack of a folder that cannot be read" 2 $(without_power) sh scripts/bankshot.sh pack "$work/closed folders"
        # shellcheck disable=SC2046
        refuses "compare of a folder that cannot be read" 2 $(without_power) "$BUILD/compare" "$work/closed folders" results/h100
        check "and says so" grep -q 'cannot be read: Permission denied' "$work/err"
    else
        skip "a folder that cannot be read" "root may read everywhere, and setpriv can not take that power here"
    fi
    mkdir "$work/empty"
    refuses "pack of a folder without rows" 1 sh scripts/bankshot.sh pack "$work/empty"
    run sh scripts/bankshot.sh pack --help
    is "pack --help is 80 columns wide" "$status $(awk 'length > 80' "$work/out")" "0 "
    is "help pack is the same" "$(sh scripts/bankshot.sh help pack)" "$(cat "$work/out")"
    check "its schema is that of the programs" grep -q "ROWS_SCHEMA = $(sed -n 's/^SCHEMA=\([0-9]*\).*/\1/p' scripts/pack.sh)\$" util/version.h
}

test_schema() {
    mkdir "$work/later"
    { echo "# bankshot: gmem 9.0.0" && echo "# schema: 2" && grep -v '^# bankshot' results/h100/gmem.csv; } >"$work/later/gmem.csv"
    refuses "compare refuses rows of a later schema" 2 "$BUILD/compare" "$work/later" results/h100
    check "and names the file" grep -q 'later/gmem.csv: its rows have schema 2' "$work/err"
    refuses "report refuses them" 2 "$BUILD/report" "$work/later" -o "$work/later.html"
    sed -i 's/^# schema: 2/# schema: 1/' "$work/later/gmem.csv"
    sed 's/^probe,\(.*\),offset,/probe,\1,stride,/' "$work/later/gmem.csv" >"$work/twice.csv"
    refuses "compare refuses a column that is there twice" 2 "$BUILD/compare" "$work/twice.csv" results/h100/gmem.csv
    check "and names it" grep -q 'the column stride is there twice' "$work/err"
    refuses "report refuses it" 2 "$BUILD/report" "$work/twice.csv" -o "$work/later.html"
    { printf '\357\273\277' && cat "$work/later/gmem.csv"; } >"$work/marked.csv"
    run "$BUILD/compare" "$work/marked.csv" results/h100/gmem.csv
    is "compare reads a file that begins with a byte order mark" "$status $(grep -c 'leave' "$work/err")" "0 0"
    refuses "compare does not write a file that it reads" 2 "$BUILD/compare" "$work/later/gmem.csv" results/h100/gmem.csv --csv "$work/later/gmem.csv"
    refuses "neither does report" 2 "$BUILD/report" "$work/later/gmem.csv" -o "$work/later/../later/gmem.csv"
    check "compare reads rows of this schema" "$BUILD/compare" "$work/later/gmem.csv" results/h100/gmem.csv
}

# results/README.md lists what is there.
test_list() {
    for folder in results/*/; do
        folder=$(basename "$folder")
        case $folder in here) continue ;; esac
        git check-ignore -q "results/$folder" 2>"$work/null" || check "results/README.md lists $folder" grep -q "\[$folder\](" results/README.md
    done
    sed -n 's/^| [^|]* | `\([a-z0-9]*\)` |.*/\1/p' results/README.md | while read -r gpu; do
        "$BUILD/gmem" --list-gpus | grep -q "^$gpu " || echo "$gpu"
    done >"$work/unknown"
    is "the GPUs that it lists are the model's" "$(cat "$work/unknown")" ""
}

test_results
test_faults
test_names
test_usage
test_schema
test_list
finish
