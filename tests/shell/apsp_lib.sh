# What the tests of apsp share: sourced after tests/shell/lib.sh.
# shellcheck shell=sh disable=SC2154 # work, status: tests/shell/lib.sh
apsp=$BUILD/apsp
built "$apsp"

# solve DEVICE VARIANT OPTION...: one short sample; distances land in $work/VARIANT, the CSV in $work/out.
solve() {
    device=$1 variant=$2
    shift 2
    rm -f "$work/$variant"
    run "$apsp" --device "$device" --variant "$variant" --quiet --samples 1 --min-time 0 --max-time 0 --csv - --output "$work/$variant" "$@"
}

# same NAME DEVICE OPTION... : all of $variants must give the bytes of cpu-reference.
same() {
    label=$1 where=$2
    shift 2
    solve cpu cpu-reference "$@"
    for name in $variants; do
        [ "$name" = cpu-reference ] || solve "$where" "$name" "$@"
        if [ "$status" -ne 0 ]; then
            fail "$label: $name" "status $status" "$(head -n 3 "$work/err")"
        elif cmp -s "$work/cpu-reference" "$work/$name"; then
            ok "$label: $name"
        else
            fail "$label: $name" "its bytes are not those of cpu-reference"
        fi
    done
}
