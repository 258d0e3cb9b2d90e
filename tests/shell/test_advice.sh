#!/bin/sh
# What lanes --advise says of slow lines, and that following it gains what it predicts: kernels of one fault each, with the advice, and
# changed as it says. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

lanes=$BUILD/lanes
built "$lanes"
cat >"$work/probe.cu" <<'END'
__global__ void probe(float *a) { a[threadIdx.x] = 1; }
END
run "$lanes" --kernel "$work/probe.cu" --block 32 --arg buffer:float:32
if [ "$status" -ne 0 ]; then
    skip "advice" "kernels cannot be simulated here: $(tail -n 1 "$work/err")"
    finish
fi

# advise GPU KERNEL OPTION...: the advice in $work/advice, each paragraph on a line.
advise() {
    gpu=$1 kernel=$2
    shift 2
    run "$lanes" --gpu "$gpu" --kernel "$kernel" --advise "$@"
    [ "$status" -eq 0 ] || fail "$kernel on $gpu" "$(tail -n 3 "$work/err")"
    is "80 columns hold the advice for $kernel" "$(sed '1,/^advice for/d' "$work/out" | awk 'length($0) > 80 && /^ /')" ""
    sed '1,/^advice for/d' "$work/out" | awk '
        /^[^ ]/ || /^    tried / { printf "%s", (NR > 1 ? "\n" : "") }
        { sub(/^ +/, ""); printf "%s ", $0 }
        END { print "" }' >"$work/advice"
}

# predicted: the predicted time in us.
predicted() {
    sed -n 's/.*predicted: \([0-9.e+]*\) us.*/\1/p' "$work/out"
}

# documented ROW BEFORE AFTER CHANGED: docs/layout.md has the row, with these times, within 5 %: runs differ by how blocks met.
documented() {
    check "docs/layout.md has the row $1 $2 us | $3 us | $4 us |" \
        awk -v row="$1" -v times="$2 $3 $4" 'index($0, row) == 1 {
            gsub(/ us|\|/, "", $0)
            split(times, now, " ")
            for (i = 1; i <= 3; i++) {
                then = $(NF - 3 + i)
                differs = differs || now[i] / then > 1.05 || then / now[i] > 1.05
            }
            found = 1
        }
        END { exit !found || differs }' docs/layout.md
}

# gains NAME SETTING GPU KERNEL OPTION...: the first gain that is predicted is that of the kernel changed by the setting, within 15 %.
gains() {
    name=$1 setting=$2 gpu=$3 kernel=$4
    shift 4
    advise "$gpu" "$kernel" "$@"
    before=$(predicted)
    after=$(sed -n 's/.* \([0-9.e+]*\) us in place of .*/\1/p' "$work/advice" | head -n 1)
    [ -n "$after" ] || after=$(awk -v now="$before" '/would go, and/ { sub(/.*would go, and /, ""); printf "%.3g\n", now - $1; exit }' "$work/advice")
    run "$lanes" --gpu "$gpu" --kernel "$kernel" -D "$setting" "$@"
    documented "| $name | \`$kernel\`, \`-D $setting\` | $gpu |" "$before" "$after" "$(predicted)"
    check "$name on $gpu: $before us become $after us, predicted, and $(predicted) us, simulated" \
        awk -v before="$before" -v after="$after" -v changed="$(predicted)" 'BEGIN {
            predicted = before - after
            simulated = before - changed
            exit !(after != "" && simulated > 0 && predicted / simulated > 0.85 && predicted / simulated < 1.15)
        }'
}

floats="buffer:float:64x64"
matmul="--grid 2x2 --block 32x32 --arg $floats --arg $floats --arg $floats --arg int:64"
gemm="--entry gemm<32> --grid 2x2 --block 8x32 --arg $floats --arg $floats --arg $floats --arg int:64"
transpose="--grid 32x32 --block 32x8 --arg buffer:float:1024x1024 --arg buffer:float:1024x1024 --arg int:1024 --sim-blocks 32"
particles="--grid 4096 --block 256 --arg buffer:float:6M --arg float:0.1 --arg int:1048576 --sim-blocks 32"
sum="--grid 1024 --block 256 --arg buffer:int:256K --arg buffer:int:1:zero --sim-blocks 64"
blur="--grid 16384 --block 256 --arg buffer:float:8M --arg buffer:float:8M --sim-blocks 32"

# shellcheck disable=SC2086 # lists of options
test_gains() {
    gains "a swizzled tile" PADDING=1 h200 tools/lanes/examples/matmul.cu $matmul
    gains "structures" ARRAYS=1 h200 tests/data/advice/particles.cu $particles
    gains "an atomic of each lane" WARPS=1 h200 tests/data/advice/sum.cu $sum
    gains "a stencil" TILE=1 h200 tests/data/advice/blur.cu $blur
    everything || return 0
    gains "structures" ARRAYS=1 mi300x tests/data/advice/particles.cu $particles
    gains "a swizzled tile" PADDING=1 mi300x tools/lanes/examples/matmul.cu $matmul
    gains "a tile of float4" PADDING=1 h200 tools/lanes/examples/gemm.cu $gemm
    gains "a transposed tile" PADDING=1 h200 tools/lanes/examples/transpose.cu $transpose
    gains "a transposed tile" PADDING=1 mi300x tools/lanes/examples/transpose.cu $transpose
}

# shellcheck disable=SC2086 # lists of options
test_words() {
    advise h200 tests/data/advice/particles.cu $particles
    is "structures are named once, for loads and stores" \
        "$(grep -c structures "$work/advice") $(grep -c '^tests/data/advice/particles.cu:14, 15, 16: global load and store' "$work/advice")" "1 1"
    advise h200 tests/data/advice/blur.cu --grid 64 --block 256 --arg buffer:float:20K --arg buffer:float:20K
    is "a stencil's loads are not made wider" "$(grep ': global load' "$work/advice" | grep -c '16 bytes at once')" 0
    check "but its neighbours come from shared memory" grep -q '9 times, and the places overlap, as in a stencil' "$work/advice"
    advise h200 tests/data/advice/sum.cu $sum
    check "atomics are called atomics" grep -q ': global atomic, .* combine the lanes' "$work/advice"
    check "in the listing, too" grep -q 'h200       global atomic' "$work/out"
    advise h200 "$work/probe.cu" --block 32 --arg buffer:float:32
    check "a launch that takes the time is named before any line" sh -c "head -n 1 '$work/advice' | grep -q '^bound by the launch'"
    run "$lanes" --kernel tests/data/advice/few.cu --grid 4 --block 256 --arg buffer:float:1K --arg buffer:float:4
    check "the store of one thread has one lane" grep -Eq 'global store +4 +1\.0 ' "$work/out"
}

# The first message names the barrier that is needed.
test_barriers() {
    for case in within_warp:__syncwarp across:__syncthreads neighbour:__syncthreads; do
        run "$lanes" --kernel tests/data/advice/barrier.cu --entry "${case%:*}" --block 256 --arg buffer:float:256 --arg buffer:float:256
        is "a missing ${case#*:} in ${case%:*}" "$status $(grep -o 'with no [_a-z]*' "$work/err")" "1 with no ${case#*:}"
    done
}

# The layout of a kernel's array, by what it does.
# shellcheck disable=SC2086 # lists of options
test_arrays() {
    run "$lanes" --layout 32x32 --kernel tools/lanes/examples/transpose.cu --array tile $transpose --gpu h200,mi300x --json "$work/array.json"
    check "a kernel's array: the best layout" grep -q '^Swizzle<5,0,5>: free of bank conflicts' "$work/out"
    check "and its lines" grep -Eq '^  line 20 load 4 +32\.00 +64\.00$' "$work/out"
    check "as JSON" grep -q '"access": "line 14 store 4"' "$work/array.json"
    refuses "an array that is not there" 2 "$lanes" --layout 32x32 --kernel tools/lanes/examples/transpose.cu --array tiles $transpose
    is "names those that are" "$(grep -c 'there are tile$' "$work/err")" 1
    cat >"$work/outside.cu" <<'END'
__global__ void store(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x + (warpSize == 64 ? 1 << 20 : 0)] = tile[threadIdx.x];
}
END
    refuses "an array that is not there, before other GPUs run the kernel" 2 "$lanes" --layout 8x8 --kernel "$work/outside.cu" --array tiles --block 64 \
        --arg buffer:int:64 --gpu h200,mi210
    refuses "an array of another size" 2 "$lanes" --layout 16x16 --kernel tools/lanes/examples/transpose.cu --array tile $transpose
    refuses "an array of other elements" 2 "$lanes" --layout 32x16 --width 8 --kernel tools/lanes/examples/transpose.cu --array tile $transpose
    refuses "an array without a kernel" 2 "$lanes" --layout 32x32 --array tile
    refuses "an array without a tile" 2 "$lanes" --kernel tools/lanes/examples/transpose.cu --array tile $transpose
    refuses "a kernel without an array" 2 "$lanes" --layout 32x32 --kernel tools/lanes/examples/transpose.cu $transpose
    refuses "an array and an access" 2 "$lanes" --layout 32x32 --kernel tools/lanes/examples/transpose.cu --array tile --access load:row $transpose
}

test_gains
test_words
test_barriers
test_arrays
finish
