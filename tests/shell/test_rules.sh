#!/bin/sh
# smem's variant addresses, and scripts/rules.sh, which answers open rules with it. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

smem=$BUILD/smem
built "$smem"
built "$BUILD/gmem"
built "$BUILD/lanes"
export BUILD

# pick COLUMN EXPERIMENT OP WIDTH NAMES: that column of $work/rules/rules.csv for the patterns whose names match.
pick() {
    awk -v want="$1" -v experiment="$2" -v op="$3" -v width="$4" -v names="$5" -f scripts/csv.awk -f /dev/fd/3 \
        "$work/rules/rules.csv" 3<<'END' | paste -sd ' ' -
row["experiment"] == experiment && row["op"] == op && row["width_bytes"] == width && row["pattern"] ~ names { print row[want] }
END
}

# values COLUMN: the different values of that column of rules.csv.
values() {
    column "$1" "$work/rules/rules.csv" | tr ' ' '\n' | sort -u | paste -sd ' ' -
}

# moved: the bytes that the model counts to and from memory for each byte of the sectors that a kernel writes, by stride. The bound is
# the time of these bytes at the peak, less what the last-level cache holds.
moved() {
    awk -f scripts/csv.awk -f /dev/fd/3 "$work/rules/raw/gmem-fill.csv" 3<<'END' | paste -sd ' ' -
{
    cached = 62914560
    printf "%.4f\n", (row["bound_ns"] * row["peak_gb_s"] + cached) / (row["sectors"] * row["sector_bytes"])
}
END
}

# The model document's own figures: pairs by l^1, l^2, l^4, l^8, l^16, and all lanes alike.
test_h200() {
    run sh scripts/rules.sh --device sim:h200 "$work/rules"
    is "rules.sh on a simulated H200" "$status $(cat "$work/err")" "0 "
    # On sm_90 loads of pairs merge, stores do not (results/h200/rules.txt).
    while read -r op experiment eight sixteen conflicting; do
        for column in predicted counted; do
            is "$op, 8 bytes, $column" "$(pick $column "$experiment" "$op" 8 '^(pairs l.[0-9]*|all lanes alike)$' | tr ' ' ,)" "$eight"
            is "$op, 16 bytes, $column" "$(pick $column "$experiment" "$op" 16 '^(pairs l.[0-9]*|all lanes alike)$' | tr ' ' ,)" "$sixteen"
        done
        for width in 8 16; do
            is "$op, $width bytes: conflicting pairs" "$(pick predicted "$experiment" "$op" $width '^conflicting pairs l.[0-9]*$' |
                tr ' ' ,)" "$conflicting"
        done
    done <<END
load 1 1,1,2,2,2,1 2,2,4,4,4,2 8,8,16,16,16
store 2 2,2,2,2,2,2 4,4,4,4,4,4 16,16,16,16,16
END
    is "lanes 0-7 of a 16-byte load" "$(pick predicted 3 load 16 'lanes 0-7')" "1 8"
    is "lanes 0-15 of an 8-byte load" "$(pick predicted 3 load 8 'lanes 0-15')" "1 4"
    is "a lane of a pair that is off" "$(pick predicted 3 load 8 'lane 1 off')" "1 8"
    is "what the simulator counts agrees" "$(values count_verdict)" " agrees"
    is "stores at stride 2 read what they do not fill, by time" "$(pick time_verdict 6 write 4 'stride 2')" agrees
    is "bytes that stores at stride 1 and 2 move for each byte of their sectors" "$(moved)" "1.0000 2.0000"
    is "nothing is unverified" "$(values verified)" yes
    check "the table is what was printed" cmp "$work/out" "$work/rules/rules.txt"
    is "the table is 80 columns wide" "$(awk 'length > 80' "$work/out")" ""
    check "a row's figures follow the last line of its pattern" \
        grep -Eq '^  16, l\^2 above  +16 +-  +16 agrees +14/14$' "$work/out"
    check "the pair condition of loads is answered" grep -q '^load, 16 bytes: pairs merge by l^1 l^2; not by l^4 l^8 l^16$' "$work/out"
    check "the pair condition of stores is answered" grep -q '^store, 16 bytes: pairs merge by none; not by l^1 l^2 l^4 l^8 l^16$' "$work/out"
    check "the conflict counter is answered" grep -q '^2: 8 passes, 6 conflicts$' "$work/out"
    check "sectors are answered" grep -Eq '^([0-9]+) of \1 kinds of request as predicted$' "$work/out"
}

test_mi210() {
    run sh scripts/rules.sh --device=sim:mi210 "$work/rules"
    is "rules.sh on a simulated MI210" "$status $(cat "$work/err")" "0 "
    is "there, too, what the simulator counts agrees" "$(values count_verdict)" " agrees"
    check "it says whose rules are asked for" grep -q "questions are about NVIDIA's rules" "$work/out"
}

# With a fake GPU and a profiler that counts 1,024 of everything, figures that were read differ from those that were not.
make_fakes() {
    link_fakes "$work/fake/lib"
    cat >"$work/fake/ncu" <<'END'
#!/bin/sh
for argument in "$@"; do
    case $previous in
    --metrics) metrics=$argument ;;
    --csv) csv=$argument ;;
    esac
    previous=$argument
done
echo "==PROF== Connected to process 1"
case "$*" in
*/gmem*) echo "==ERROR== no counters today"; exit 1 ;;
esac
while [ "${1##*/}" != smem ]; do shift; done
"$@" || exit
echo '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
launches=$((2 + 3 * $(grep -vc '^[#p]' "$csv")))
for id in $(seq $launches); do
    for metric in $(echo "$metrics" | tr , ' '); do
        echo "\"$id\",\"table_load(int *, int)\",\"$metric\",\"\",\"1,024\""
    done
done
END
    chmod +x "$work/fake/ncu"
}

on_fakes() {
    run env PATH="$work/fake:$PATH" LD_LIBRARY_PATH="$work/fake/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" CUDA_HOME="$work/fake" RULES_SETTINGS="--samples 1" \
        sh scripts/rules.sh --device cuda:0 "$work/rules"
}

test_profiler() {
    has_fake cuda || return
    make_fakes
    on_fakes
    is "rules.sh under a profiler" "$status $(cat "$work/err")" "0 "
    is "one line says which counters are missing" "$(grep MISSING "$work/out")" \
        "MISSING: no counters of gmem-fill and all that follows: ==ERROR== no counters today"
    # 1024 over the requests of 36 rounds of 8 accesses by 32 warps on each of 4 compute units.
    is "counters over requests" "$(pick counted 1 load 8 '^(pairs l.1|conflicting pairs l.1)$')" "0.02778 0.02778"
    check "and times beside" [ -n "$(pick by_time 1 load 8 '^pairs l.1$')" ]
    is "bytes that were not counted are not answered" "$(grep -A 1 '^5\.' "$work/out" | tail -n 1)" "unknown: this needs the counters"
    export NCU=
    on_fakes
    unset NCU
    check "without a profiler it says so" grep -q '^MISSING: no counters: ncu (Nsight Compute) is not here' "$work/out"
    is "and answers what time can tell" "$status $(values counted)" "0 "
}

# smem's passes for random requests must be those that lanes computes from the same file.
test_random() {
    for gpu in h200:32 mi210:64; do
        for width in 1 4 8 16; do
            awk -v lanes="${gpu#*:}" -v width=$width 'BEGIN {
                srand(width + lanes)
                for (line = 1; line <= 12; line++)
                    for (lane = 0; lane < lanes; lane++)
                        printf "%s%s", lane && rand() < 0.2 ? "." : int(rand() * (line > 6 ? 16 : 2048)) * width, lane < lanes - 1 ? " " : "\n"
            }' >"$work/addresses"
            for op in load store; do
                run "$smem" --device "sim:${gpu%:*}" --variant addresses --op $op --width $width --addresses "$work/addresses" --csv -
                found="$(column passes_per_request "$work/out"), $(column verified "$work/out" | tr ' ' '\n' | sort -u)"
                run "$BUILD/lanes" --gpu "${gpu%:*}" --op $op --width $width --addresses "$work/addresses" --csv -
                is "${gpu%:*}: $op of random addresses, $width bytes" "$found" "$(column passes "$work/out"), yes"
            done
        done
    done
}

# refuses_line NAME TEXT OPTION...: a file of this text must be refused.
refuses_line() {
    label=$1
    printf '%b' "$2" >"$work/bad"
    shift 2
    refuses "$label" 2 "$smem" --device sim:h200 --variant addresses --addresses "$work/bad" "$@"
}

test_refusals() {
    printf '# a remark\n\n0 4 . 8\n' >"$work/good"
    run sh -c "'$smem' --device sim:h200,sim:mi210 --variant addresses --addresses - --width 2,4 --csv - <'$work/good'"
    is "standard input, for two widths and two devices" "$status $(column request_line "$work/out")" "0 3 3 3 3"
    refuses_line "a word among addresses" '0 4 x\n'
    refuses_line "not aligned to the width" '0 4\n' --width 8
    refuses_line "an address beyond shared memory" '0 4\n0 232448\n'
    check "its line and lane are named" grep -q 'bad:2: lane 1: 232448 ' "$work/err"
    refuses_line "an address beyond 64 bits" '18446744073709551616\n'
    refuses_line "a line without an active lane" '. .\n'
    refuses_line "33 lanes" "$(seq -s ' ' 0 4 128)\n"
    refuses_line "an empty file" ''
    head -c 1000000 /dev/zero | tr '\0' '4' >"$work/bad"
    refuses "a line of 1 MB" 2 "$smem" --device sim:h200 --variant addresses --addresses "$work/bad"
    refuses "no such file" 2 "$smem" --device sim:h200 --variant addresses --addresses "$work/none"
    refuses "a folder" 2 "$smem" --device sim:h200 --variant addresses --addresses "$work"
    refuses "no file" 2 "$smem" --device sim:h200 --variant addresses
    refuses "a file for a variant that takes none" 2 "$smem" --device sim:h200 --variant load --addresses "$work/good"
    refuses "an operation for a variant that has its own" 2 "$smem" --device sim:h200 --variant load --op store
    refuses "an operation that is none" 2 "$smem" --device sim:h200 --variant addresses --addresses "$work/good" --op add
    refuses "rules.sh with an option that is none" 2 sh scripts/rules.sh --frob
    refuses "rules.sh with two folders" 2 sh scripts/rules.sh "$work/a" "$work/b"
    refuses "rules.sh on a GPU that nobody knows" 2 sh scripts/rules.sh --device sim:h201 "$work/rules"
    refuses "rules.sh on the CPU" 3 sh scripts/rules.sh --device cpu "$work/rules"
}

test_h200
! everything || test_mi210
test_profiler
test_random
test_refusals
finish
