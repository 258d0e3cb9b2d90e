#!/bin/sh
# lanes on PTX: files that compilers wrote, and files that are no PTX.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
lanes=$BUILD/lanes

sums() {
    run "$lanes" --ptx tests/data/ptx/control.ptx --block 32 --shared 128 --arg buffer:int:128:index --arg buffer:int:32 --arg int:5 \
        --arg int:2 "$@"
}

test_counts() {
    sums --entry sums --csv -
    is "counts of a hand-written kernel" "$status $(cut -d , -f 2-5,10 "$work/out" | tail -n +2 | tr '\n' ' ')" \
        "0 42,global,load,1,16 49,shared,store,1, 62,shared,load,1, 82,global,load,1,1 83,global,load,1,1 94,shared,store,1, 99,global,store,1,4 "
    sums
    check "lines of the PTX where its source is not there" grep -q 'ld.global.v4.u32 {%r2, %r3, _, %r5}, \[%rd1\];' "$work/out"
}

# The source is annotated where .file leads to it.
test_source() {
    sed "s,\"control.cu\",\"$work/control.cu\"," tests/data/ptx/control.ptx >"$work/control.ptx"
    printf 'one\ntwo\nload\nstore\nloop\nodd\nweigh\nresult\n' >"$work/control.cu"
    run "$lanes" --ptx "$work/control.ptx" --block 32 --shared 128 --arg buffer:int:128:index --arg buffer:int:32 --arg int:5 \
        --arg int:2
    is "lines of the source" "$(sed -n '/load$/ { n; p; }' "$work/out" | tr -s ' ' | cut -d ' ' -f 1-7)" " h200 global load 1 32.0 16.00"
}

# printf and its kinds of arguments; the matrices are all ones.
test_print() {
    run "$lanes" --ptx tests/data/ptx/matrix.ptx --block 64 --arg buffer:int:128:zero --arg buffer:int:64:zero --arg buffer:float:128 \
        --arg buffer:int:32
    is "what a kernel prints" "$status $(grep -c '^32 1.0 sum%$' "$work/err")" "0 1"
}

# A width and a precision that are arguments.
test_print_widths() {
    cat >"$work/print.ptx" <<'EOF'
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 format[18] = {91, 37, 42, 100, 93, 91, 37, 45, 42, 46, 42, 102, 93, 37, 100, 37, 37, 10};
.entry k() {
 .local .align 8 .b8 list[32]; .reg .b64 %a, %f;
 mov.u64 %a, list; cvta.local.u64 %a, %a; mov.u64 %f, format; cvta.global.u64 %f, %f;
 st.u32 [%a], 4; st.u32 [%a+4], 42; st.u32 [%a+8], 6; st.u32 [%a+12], 1; st.f64 [%a+16], 1.5; st.u32 [%a+24], 7;
 { .param .b64 p; .param .b64 q; .param .b32 r; st.param.b64 [p], %f; st.param.b64 [q], %a;
   call.uni (r), vprintf, (p, q); } ret;
}
EOF
    run "$lanes" --ptx "$work/print.ptx" --block 1
    is "widths and precisions that are arguments" "$status $(grep '^\[' "$work/err")" "0 [  42][1.5   ]7%"
}

# A struct's members and the bytes between them.
test_struct() {
    cat >"$work/struct.ptx" <<'EOF'
.version 8.0
.target sm_90
.address_size 64
.entry k(.param .align 8 .b8 packed[24]) {
 .reg .b32 %r; .reg .b64 %out;
 ld.param.u8 %r, [packed+15]; ld.param.u64 %out, [packed+16]; st.global.u32 [%out], %r; ret;
}
EOF
    run "$lanes" --ptx "$work/struct.ptx" --arg zeros:15 --arg uchar:7 --arg out=buffer:int:1 --save "out:$work/out.raw" --block 1
    is "a struct's padding" "$status $(od -An -td4 "$work/out.raw" | tr -d ' ')" "0 7"
    refuses "more padding than a kernel takes" 2 "$lanes" --ptx "$work/struct.ptx" --arg zeros:5000 --block 1
    refuses "padding beyond the struct" 2 "$lanes" --ptx "$work/struct.ptx" --arg zeros:32 --block 1
}

test_options() {
    refuses "no such PTX file" 2 "$lanes" --ptx "$work/none.ptx" --block 32
    refuses "PTX without a block" 2 "$lanes" --ptx tests/data/ptx/control.ptx
    refuses "PTX and a kernel" 2 "$lanes" --ptx tests/data/ptx/control.ptx --kernel tools/lanes/examples/matmul.cu --block 32
    refuses "PTX and a constant" 2 "$lanes" --ptx tests/data/ptx/control.ptx --block 32 -D A=1
    refuses "PTX and a way" 2 "$lanes" --ptx tests/data/ptx/control.ptx --block 32 --via c
    refuses "no such way" 2 "$lanes" --kernel tools/lanes/examples/matmul.cu --via sass --block 32
    refuses "a way without a kernel" 2 "$lanes" --via ptx
    refuses "PTX and a stride" 2 "$lanes" --ptx tests/data/ptx/control.ptx --block 32 --stride 2
    refuses "PTX on an AMD GPU" 2 "$lanes" --ptx tests/data/ptx/control.ptx --block 32 --gpu mi210
    refuses "no such entry" 2 "$lanes" --ptx tests/data/ptx/control.ptx --block 32 --entry other
    refuses "C++ for PTX" 2 "$lanes" --ptx tools/lanes/examples/matmul.cu --block 32
    refuses "a picture for PTX" 2 "$lanes" --ptx tools/lanes/lanes.c --block 32
    head -c 1000 tests/data/ptx/control.ptx >"$work/cut.ptx"
    refuses "PTX cut short" 2 "$lanes" --ptx "$work/cut.ptx" --block 32
    refuses "too few arguments" 2 "$lanes" --ptx tests/data/ptx/control.ptx --block 32
    sums --arg int:1
    is "too many arguments" "$status" 2
}

# both_ways PROBE COLUMNS OPTION...: what the probe's kernels ask of memory by C and by PTX, in $work/PROBE.c and .ptx.
both_ways() {
    probe=$1 columns=$2
    shift 2
    for via in c ptx; do
        run "$BUILD/$probe" --device sim:h200 --via "$via" --quiet --csv "$work/$probe.csv" "$@"
        echo "status $status" >"$work/$probe.$via" # and a line for each column
        for name in $columns; do
            column "$name" "$work/$probe.csv"
        done >>"$work/$probe.$via"
    done
    check "$probe is right by PTX" grep -q 'status 0' "$work/$probe.ptx"
}

# counts PROBE OPTION...: both ways count the same.
counts() {
    probe=$1
    shift
    both_ways "$probe" "variant kernel width_bytes stride requests sectors passes bank_conflicts verified" "$@"
    is "$probe counts the same by PTX" "$(cat "$work/$probe.ptx")" "$(cat "$work/$probe.c")"
}

# results KERNEL: what CUDA's functions give, in $work/KERNEL.
results() {
    run "$lanes" --kernel tests/data/kernels/intrinsics.cu --entry "$1" --block 32 \
        --arg buffer:uint:96:random=0,4294967295 --arg out=buffer:uint:1536:zero --save "out:$work/$1"
}

# Arguments and sizes that do not match the kernel are a wrong command line, in CUDA C and in PTX.
test_mismatches() {
    printf '__global__ void f(int *a) {\n    a[threadIdx.x] = 1;\n}\n' >"$work/f.cu"
    printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry f(.param .u64 a) { ret; }\n' >"$work/f.ptx"
    for wrong in "" "--arg buffer:int:64 --arg int:1" "--arg int:1" "--arg buffer:int:64 --shared 999999"; do
        # shellcheck disable=SC2086 # a list of options
        ! compiles_for h200 || refuses "a kernel of one pointer: '$wrong'" 2 "$lanes" --kernel "$work/f.cu" --block 64 $wrong
        # shellcheck disable=SC2086
        refuses "the same in PTX: '$wrong'" 2 "$lanes" --ptx "$work/f.ptx" --block 64 $wrong
    done
}

test_intrinsics() {
    results intrinsics
    if [ "$status" -eq 3 ]; then
        skip "CUDA's functions" "$(tail -n 1 "$work/err")"
        return
    fi
    is "__byte_perm takes no signs" "$status $(od -An -tx4 -N 4 "$work/intrinsics" | tr -d ' ')" "0 44f78080"
    is "shuffles by 32 lanes or more take five bits" "$(od -An -tu4 -j 4 -N 4 "$work/intrinsics" | tr -d ' ')" 501 # lanes 5 and 1
    results atomics
    is "no addition of an atomic is lost" "$status $(od -An -tu4 -N 8 "$work/atomics" | xargs)" "0 8 3"
    is "nor one of a pair of halves" "$(od -An -tx2 -j 10 -N 2 "$work/atomics" | tr -d ' ')" 5000 # 32
    is "sums of subnormals are zero in global memory only" "$(od -An -tx4 -j 72 -N 8 "$work/atomics" | xargs)" "00000000 0022d840"
}

test_via() {
    run "$BUILD/gmem" --device sim:h200 --via ptx --variant read --width 4 --stride 1 --elements 4096 --quiet --csv -
    if [ "$status" = 3 ]; then
        skip "kernels compiled to PTX" "$(tail -n 1 "$work/err")"
        return
    fi
    check "the head of the file names the compiler" grep -Eq '^# sim:h200 instructions by: NVRTC [0-9]+[.][0-9]' "$work/out"
    counts gmem --variant stride-copy,offset,atomic-add --width 4,16 --stride 1,3 --elements 8192
    counts smem --variant load,store,atomic-add --width 4 --stride 1,4,5
    counts smem --variant broadcast,course,transpose-padded --width 4 --elements 4096
    counts reduce --variant sequential,unroll-full,vector --elements 20000
    counts apsp --variant baseline,coalesced --vertices 64
    # The compiler keeps the pivot's column of shared-row in registers, so that fewer passes are left, as on an H200.
    both_ways apsp "passes" --variant shared-row --vertices 64
    is "passes that NVIDIA's compiler leaves" "$(tail -n 1 "$work/apsp.c" | xargs) / $(tail -n 1 "$work/apsp.ptx" | xargs)" \
        "7232 4352 2176 / 7232 3328 1664"
    refuses "PTX of a kernel for an AMD GPU" 2 "$BUILD/gmem" --device sim:mi210 --via ptx --variant read --width 4 --stride 1 \
        --elements 4096 --quiet --csv "$work/none.csv"
    run "$lanes" --kernel tools/lanes/examples/matmul.cu --via ptx --grid 2x2 --block 32x32 --arg buffer:float:4K \
        --arg buffer:float:4K --arg buffer:float:4K --arg int:64
    is "the source of a kernel compiled to PTX" "$(sed -n '/from_b = b_tile/ { n; p; }' "$work/out" | tr -s ' ' | cut -d ' ' -f 1-8)" \
        " h200 shared load 8192 32.0 32.00 253952"
    run "$lanes" --kernel tools/lanes/examples/gemm.cu --via ptx --entry 'gemm<16>' --block 4x16 --arg buffer:float:256 \
        --arg buffer:float:256 --arg buffer:float:256 --arg int:16
    is "a template that the file does not instantiate" "$status" 0
    # wgmma is for one part alone.
    printf '__global__ void f(int *out) { asm volatile("wgmma.fence.sync.aligned;"); out[threadIdx.x] = 1; }\n' >"$work/group.cu"
    run "$lanes" --kernel "$work/group.cu" --via ptx --block 128 --arg buffer:int:128
    is "an instruction of sm_90a" "$status" 0
    run "$lanes" --kernel tools/lanes/lanes.c --via ptx --block 32
    is "a file without a kernel" "$status $(grep -c 'lanes: .*compile' "$work/err")" "2 1"
}

# Only NVRTC, as a laptop has it from PyPI: it gets the part of the file that the kernel needs.
test_nvrtc() {
    mkdir -p "$work/empty"
    hide="! [ -d /usr/local/cuda/bin ] || mount --bind $work/empty /usr/local/cuda/bin"
    if ! unshare -m sh -c "$hide" 2>"$work/null"; then
        skip "PTX by NVRTC alone" "hiding nvcc needs root"
        return
    fi
    run env -u CUDA_HOME PATH=/usr/bin:/bin unshare -m sh -c "$hide; exec \"\$@\"" sh "$lanes" --kernel tools/lanes/examples/gemm.cu \
        --via ptx --entry 'gemm<32>' --grid 2x2 --block 8x32 --arg buffer:float:4K --arg buffer:float:4K --arg buffer:float:4K \
        --arg int:64
    if [ "$status" -eq 3 ]; then
        skip "PTX by NVRTC alone" "$(tail -n 1 "$work/err")"
        return
    fi
    is "a template in a file with a main, by NVRTC alone" "$status $(grep -c 'from_a = ' "$work/out")" "0 1"
}

test_counts
test_source
test_print
test_print_widths
test_struct
test_options
test_mismatches
test_intrinsics
test_via
test_nvrtc
mutate "PTX files" fuzz_ptx tests/data/ptx/*.ptx
finish
