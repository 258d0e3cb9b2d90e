#!/bin/sh
# What lanes --layout promises: the passes that brute force counts, the best layout and its proof, the published swizzles, and one clear
# line for every bad input. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

lanes=$BUILD/lanes
built "$lanes"

# tile SIZE OPTION...: what lanes says of the tile of this size, in $work/out and $work/layouts.json.
tile() {
    size=$1
    shift
    run "$lanes" --layout "$size" --json "$work/layouts.json" "$@"
    [ "$status" -eq 0 ] || fail "a tile of $size $*" "status $status" "$(cat "$work/err")"
}

# best: the layout that is printed first, without what it costs.
best() {
    sed -n 's/^\(.*\): \(free of bank\|bank\) conflicts, .*/\1/p' "$work/out" | head -n 1
}

test_brute_force() {
    if ! command -v python3 >/dev/null; then
        skip "every layout by brute force" "python3 is not installed"
        return
    fi
    mkdir "$work/addresses"
    all=$(everything && echo --all)
    # shellcheck disable=SC2086 # an option or none
    if python3 tests/shell/layouts.py --lanes "$lanes" --folder "$work/addresses" $all >"$work/brute" 2>&1; then
        ok "every layout by brute force: $(cat "$work/brute")"
    else
        fail "every layout by brute force" "$(cut -c 1-300 "$work/brute")"
    fi
}

# What one layout serves, on both vendors: transposes by the width of their elements, and a tile that goes into matrix instructions.
test_both_vendors() {
    for case in "2 Swizzle<4,1,5>" "4 Swizzle<5,0,5>" "8 Swizzle<4,0,5>" "16 Swizzle<3,0,5>"; do
        tile 32x32 --width "${case% *}" --access store:row --access load:column --gpu h200,mi300x
        is "a transpose of ${case% *} bytes: the best layout" "$(best)" "${case#* }"
        check "and its proof" grep -q '^Proof: no layout of any kind takes fewer passes' "$work/out"
    done
    tile 128x64 --width 2 --access store:row:16 --access load:ldmatrix --access load:mfma16:16 --gpu h200,mi300x
    is "cp.async, ldmatrix and MFMA: the best layout" "$(best)" "Swizzle<3,3,3>"
    tile 128x64 --width 2 --access store:row:16 --access load:mfma32 --gpu h200,mi300x
    check "a tile that no layout serves: the proof" grep -q '^Proof: none of the 471 layouts is free' "$work/out"
}

# CuTe's swizzles of rows of 128, 64 and 32 bytes, which its atoms for Hopper's matrix instructions have, too, are the only ones without
# conflicts that keep 16 bytes together and rows whole.
test_cute() {
    for case in "64 <3,3,3>" "32 <2,3,3>" "16 <1,3,3>"; do
        tile "64x${case% *}" --width 2 --access store:row:16 --access load:ldmatrix
        is "CuTe's swizzle of rows of ${case% *} halves" "$(best)" "Swizzle${case#* }"
    done
}

# A copy past L1 asks for sectors of shared memory, so a padding that serves stores and ldmatrix does not serve it: 10 and 11 passes in turn, as
# an H200 counts (tests/data/copies.h200).
test_copies() {
    tile 64x64 --width 2 --access copy:row --access load:ldmatrix --gpu h200,mi300x
    is "cp.async and ldmatrix: the best layout" "$(best)" "Swizzle<3,3,3>"
    is "and the best padding" "$(sed -n '/^padding/,/^$/s/^ *copy:row *//p' "$work/out" | tr -s ' ')" "10.50 -"
    cat >"$work/copy.cu" <<'END'
extern "C" __global__ void copy(const float4 *in, float *out) {
    __shared__ float4 tile[32][9];
    const unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x / 8][threadIdx.x % 8]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x % 32][threadIdx.x / 32].x;
}
END
    run "$lanes" --kernel "$work/copy.cu" --layout 32x36 --array tile --block 256 --arg buffer:float:1024 --arg buffer:float:256 --gpu h200
    if [ "$status" -ne 0 ] && grep -q 'install\|setup.sh' "$work/err"; then
        skip "a kernel's copies" "$(cat "$work/err")"
        return
    fi
    is "a kernel's copies: status" "$status $(cat "$work/err")" "0 "
    is "as it is" "$(sed -n '/^as it is/,/^$/s/^ *line [0-9]* copy 16 *//p' "$work/out")" 10.50
}

# docs/layout.md says what the swizzles of three public kernels gain; its table must follow from what lanes counts.
test_published() {
    sed -n '/^| kernel /,/^$/p' docs/layout.md | tail -n +3 | grep -v '^$' >"$work/rows"
    is "the page has three kernels" "$(wc -l <"$work/rows")" 3
    while IFS='|' read -r _ kernel size name before after amd_before amd_after _; do
        tile "$(echo "$size" | tr -d ' ')" --width 2 --access load:ldmatrix --access load:mfma16:16 --gpu h200,mi300x
        name=$(echo "$name" | tr -d ' `')
        found=$(tr -d '\n' <"$work/layouts.json" | sed 's/{"name"/\n{"name"/g' | awk -v name="$name" '
            /^{"name": "as it is"/ { plain = $0 }
            index($0, "{\"name\": \"" name "\"") == 1 { swizzled = $0 }
            function passes(line, which,    p) { sub(/.*"passes": \[/, "", line); split(line, p, /[], ]+/); return p[which] }
            END { print passes(plain, 1), passes(swizzled, 1), passes(plain, 4), passes(swizzled, 4) }')
        requests=$(sed -n 's/.*"requests": \([0-9]*\),.*/\1/p' "$work/layouts.json" | tr '\n' ' ')
        is "the conflicts of$kernel" "$(echo "$found $requests" | awk '{ print $1 / $5, $2 / $5, $3 / $8, $4 / $8 }')" \
            "$(echo "$before $after $amd_before $amd_after" | xargs)"
    done <"$work/rows"
}

# What this shell's children took of the processor, in hundredths of a second.
test_speed() {
    begin=$(awk '{ print $16 + $17 }' /proc/$$/stat)
    tile 128x128 --width 4 --access store:row:16 --access load:column --access load:32x1 --gpu h200,mi300x,mi355x,rtx4090,rx7900xtx
    end=$(awk '{ print $16 + $17 }' /proc/$$/stat)
    check "128x128, three accesses, five GPUs: within a second" [ $((end - begin)) -lt 100 ]
}

test_output() {
    tile 32x32 --access store:row --access load:column --gpu h200,mi300x,mi355x,rtx4090,rx7900xtx,a100,v100
    is "80 columns hold it" "$(awk 'length($0) > 80' "$work/out")" ""
    run "$lanes" --layout 8x8 --access load:row --json -
    check "JSON alone on standard output" [ "$(head -c 1 "$work/out")" = "{" ]
    if command -v python3 >/dev/null; then
        check "which is JSON" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/out"
    fi
    # The index is C: a compiler takes it, without a warning.
    tile 16x64 --width 2 --access store:row:16 --access load:ldmatrix
    sed -n 's/.*"index": "\([^"]*\)".*/    row = \1;/p' "$work/layouts.json" |
        { echo 'unsigned at(unsigned row, unsigned column) {' && cat && echo '    return row; }'; } >"$work/index.c"
    check "every index function compiles" "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -c -o "$work/index.o" "$work/index.c"
}

test_refusals() {
    refuses "an access without a tile" 2 "$lanes" --access store:row
    refuses "a tile without an access" 2 "$lanes" --layout 32x32
    for size in 32by32 32 32x 0x32 8x8x8 1024x1024 1048576x1048576; do
        refuses "a tile of $size" 2 "$lanes" --layout "$size" --access load:row
        check "rows and columns are asked for" grep -q "^lanes: --layout $size: .*: give rows x columns, as in 32x32$" "$work/err"
    done
    refuses "a tile beyond this GPU's" 1 "$lanes" --layout 256x128 --access load:row --gpu mi300x
    refuses "elements of several widths" 2 "$lanes" --layout 8x8 --width 2,4 --access load:row
    for bad in row load: fetch:row load:diagonal load:0x4 load:4x load:4x4-up load:row:3 load:row:32 load:row:2 load:99999x4 load:64x4 \
        copy:row:2 copy:row:12 copy:ldmatrix copy:mma store:ldmatrix load:stmatrix store:mma load:ldmatrix:8 load:@ load:@- load:@/none "load:row:4:4" load:mfma32:8:; do
        refuses "the access $bad" 2 "$lanes" --layout 32x32 --access "$bad"
    done
    refuses "rows that a lane's bytes do not divide" 2 "$lanes" --layout 8x33 --access load:row:8
    printf '0 4 4096\n' >"$work/outside"
    refuses "an address outside of the tile" 2 "$lanes" --layout 32x32 --access "load:@$work/outside"
    printf '0 4 6\n' >"$work/odd"
    refuses "an address within an element" 2 "$lanes" --layout 32x32 --access "load:@$work/odd"
    refuses "the options of one request" 2 "$lanes" --layout 32x32 --access load:row --stride 2
    refuses "rows as CSV" 2 "$lanes" --layout 32x32 --access load:row --csv -
    refuses "a file that cannot be written" 2 "$lanes" --layout 8x8 --access load:row --json "$work/none/a.json"
}

test_brute_force
test_both_vendors
test_cute
test_copies
test_published
test_speed
test_output
test_refusals
finish
