#!/bin/sh
# lanes --kernel and a probe by each compiler of a GPU's code, with no other one in sight, and what they say where there is none. No GPU
# is needed.
# shellcheck disable=SC2154 # work, status: tests/shell/lib.sh
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

lanes=$BUILD/lanes tested=$BUILD/lanes
built "$lanes"
built "$BUILD/gmem"

# All programs of the system but compilers of a GPU's code.
mkdir -p "$work/bin" "$work/empty"
for program in /usr/bin/*; do
    case $program in */clang* | */nvcc* | */hipcc*) ;; *) ln -sf "$program" "$work/bin" ;; esac
done
[ -e "$work/bin/gcc" ] || ln -s "$(command -v gcc)" "$work/bin/gcc"

# hidden FOLDER...: the command of unshare that hides them.
hidden() {
    for folder; do
        printf '! [ -d %s ] || mount --bind %s %s && ' "$folder" "$work/empty" "$folder"
    done
}

# alone COMPILER ARGUMENT...: runs $tested with that compiler alone: clang, nvrtc, or host.
alone() {
    path=$work/bin
    hide=$(hidden /opt/rocm /usr/local/cuda /usr/local/cuda-*)
    case $1 in
    clang) path=/usr/bin:/bin ;;
    nvrtc) hide=$(hidden /opt/rocm) ;;
    esac
    kept=$([ "$1" = nvrtc ] && echo "CUDA_HOME=${CUDA_HOME:-}" || echo CUDA_HOME=)
    python=$([ "$1" = nvrtc ] && echo "${PYTHONPATH:-}")
    shift
    run unshare -m sh -c "$hide exec \"\$@\"" sh env PATH="$path" HOME="$work" CC=gcc "$kept" PYTHONPATH="$python" "$tested" "$@"
}

# examples: a name, a line's text, its requests and passes or sectors by NVRTC, by clang for NVIDIA and for AMD, and the launch.
examples() {
    cat <<'END'
matmul.cu|from_b = b_tile|8192 32.00|8192 32.00|1024 64.00|--grid 2x2 --block 32x32 --arg buffer:float:4K --arg buffer:float:4K --arg buffer:float:4K --arg int:64
transpose.cu|tile[threadIdx.x]|512 4.00|512 4.00|256 4.00|--grid 4x4 --block 32x8 --arg buffer:float:16K --arg buffer:float:16K --arg int:128
tile_load.cu|matrix[threadIdx.y|32 4.00|32 4.00|16 2.00|--entry by_row --block 32x32 --arg buffer:float:32K --arg buffer:float:32 --arg int:1024
gemm.cu|a_tile[y][x] = |64 16.00|64 16.00|32 8.00|--entry gemm<32> --grid 2x2 --block 8x32 --arg buffer:float:4K --arg buffer:float:4K --arg buffer:float:4K --arg int:64
softmax.cu|fold(value, partial[warp])|448 1.00|448 1.00|96 2.00|--grid 4 --block 256 --arg buffer:float:4K --arg buffer:float:4K --arg int:1024
stencil.cu|part[own + k]|224 1.00|224 1.00|112 2.00|--entry stencil<3> --grid 4 --block 256 --shared 1048 --arg buffer:float:1K --arg buffer:float:1K --arg int:1024
histogram.cu|atomicAdd(&counts|x|x|x|--grid 4 --block 256 --arg buffer:uchar:64K --arg int:65536 --arg buffer:uint:256:zero
END
}

# cost TEXT: the requests of the first access below this line of source in $work/out, and its passes or sectors.
cost() {
    awk -v text="$1" '
        index($0, text) { beneath = 1; next }
        /^ *[0-9]+  / { beneath = 0 }
        beneath && NF > 4 { print $4, $6; exit }' "$work/out"
}

# runs COMPILER GPU FILE TEXT EXPECTED OPTION...
runs() {
    compiler=$1 gpu=$2 file=$3 text=$4 expected=$5
    shift 5
    alone "$compiler" --gpu "$gpu" --kernel "tools/lanes/examples/$file" "$@"
    [ "$expected" != x ] || expected=$(cost "$text")
    is "$file for $gpu by $compiler alone" "$status $(cost "$text")" "0 $expected"
}

test_examples() {
    examples >"$work/examples"
    while IFS='|' read -r file text nvrtc clang amd options; do
        # shellcheck disable=SC2086 # a list of options
        {
            [ -z "$has_nvrtc" ] || runs nvrtc h200 "$file" "$text" "$nvrtc" $options
            [ -z "$has_clang" ] || runs clang h200 "$file" "$text" "$clang" $options
            [ -z "$has_clang" ] || runs clang mi300x "$file" "$text" "$amd" $options
            for gpu in h200 mi300x; do
                alone host --gpu "$gpu" --kernel "tools/lanes/examples/$file" $options
                is "$file for $gpu is refused without a compiler" "$status $(grep -c '^lanes: .*: no compiler makes .*: install clang' "$work/err")" "3 1"
            done
        }
    done <"$work/examples"
}

# C needs the host's compiler alone.
test_c() {
    cp tools/lanes/examples/matmul.cu "$work/matmul.cu"
    alone host --via c --gpu h200,mi300x --kernel "$work/matmul.cu" --grid 2x2 --block 32x32 --arg buffer:float:4K \
        --arg buffer:float:4K --arg buffer:float:4K --arg int:64
    is "a kernel in C by the host's compiler" "$status $(cost 'from_b = b_tile')" "0 8192 32.00"
}

# whose COMPILER GPU EXPECTED
whose() {
    alone "$1" --device "sim:$2" --variant read --width 4 --stride 1 --elements 64K --quiet
    is "gmem on sim:$2 with $1 alone: whose instructions" "$status $(tail -n 1 "$work/out" | cut -d : -f 2)" "0 $2 via $3"
}

# Only AMD's parts have a compiler whose instructions run unless the user says otherwise.
test_probe() {
    tested=$BUILD/gmem
    whose host mi210 c
    [ -z "$has_clang" ] || whose clang mi210 amdgcn
    [ -z "$has_clang" ] || whose clang h200 c
    mkdir "$work/broken"
    # shellcheck disable=SC2016 # of that script
    printf '#!/bin/sh\necho amdgcn\ncase $1 in --*) ;; *) echo "error: broken" >&2; false ;; esac\n' >"$work/broken/clang-25"
    chmod +x "$work/broken/clang-25"
    run unshare -m sh -c "$(hidden /opt/rocm) exec \"\$@\"" sh env PATH="$work/broken:$PATH" "$tested" --device sim:mi210 --variant read --width 4 --quiet
    is "a clang that fails: what to do" "$status $(grep -c 'error: broken; --via c runs it by' "$work/err")" "1 1"
}

if ! unshare -m true 2>"$work/null"; then
    skip "kernels by one compiler alone" "hiding the others needs root"
    finish
fi
launch="--kernel tools/lanes/examples/transpose.cu --block 32x8 --arg buffer:float:1K --arg buffer:float:1K --arg int:32"
# shellcheck disable=SC2086 # a list of options
{
    alone nvrtc --gpu h200 $launch
    has_nvrtc=$([ "$status" -eq 3 ] || echo yes)
    alone clang --gpu h200 $launch
    has_clang=$([ "$status" -eq 3 ] || echo yes)
}
[ -n "$has_nvrtc" ] || skip "kernels by NVRTC alone" "it is not here"
[ -n "$has_clang" ] || skip "kernels by clang alone" "it is not here, or too old"
test_c
test_examples
test_probe
finish
