#!/bin/sh
# Kernels by the instructions of AMD's compiler: --via amdgcn of the programs, and lanes --asm.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
lanes=$BUILD/lanes

clang=$(newest_clang)

# counts COLUMN...: these columns of the CSV file $work/rows.csv, a row a line.
counts() {
    awk -F , -v names="$*" '
        /^#/ { next }
        !n { for (i = 1; i <= NF; i++) place[$i] = i; n = split(names, name, " "); next }
        { line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? "," : "") $place[name[i]]; print line }' "$work/rows.csv"
}

# both_ways NAME PROGRAM COLUMNS ARGUMENT...: the rows are verified by AMD's instructions, and the columns are those of the host's way.
both_ways() {
    name=$1 program=$2 columns=$3
    shift 3
    for via in c amdgcn; do
        run "$BUILD/$program" --via "$via" --csv "$work/rows.csv" --quiet --full "$@"
        [ "$status" = 0 ] || {
            fail "$name by $via" "status $status" "$(head -n 3 "$work/err")"
            return
        }
        # shellcheck disable=SC2086 # a list of columns
        counts $columns >"$work/$via.counts"
        counts verified | sort -u >"$work/verified"
        is "$name by $via: results" "$(tr '\n' ' ' <"$work/verified")" "yes "
    done
    is "$name: counts of both ways" "$(cat "$work/amdgcn.counts")" "$(cat "$work/c.counts")"
}

# compile_for ARCH SOURCE ASSEMBLY [OPTION...]: the instructions that clang makes of a kernel.
compile_for() {
    arch=$1 source=$2 assembly=$3
    shift 3
    mkdir -p "$work/hip"
    cp device/kernel/clang/runtime.h "$work/hip/hip_runtime.h"
    "$clang" -x hip --cuda-device-only -S -O3 -nogpuinc -nogpulib -fdeclspec "--offload-arch=$arch" "$@" -I "$work" -I . -o "$assembly" \
        "$source"
}

# assemble ARCH ASSEMBLY OBJECT [-c]: a code object, which -c leaves unlinked.
assemble() {
    arch=$1 assembly=$2 object=$3
    shift 3
    "$clang" -target amdgcn-amd-amdhsa "-mcpu=$arch" "$@" "$assembly" -o "$object"
}

# A copy of a line that has a load and a store.
saxpy_file() {
    cat >"$work/saxpy.hip" <<'EOF'
#include <hip/hip_runtime.h>
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}
EOF
}

test_users_kernel() {
    saxpy_file
    for gpu in mi210 mi300x rx7900xtx; do
        run "$lanes" --kernel "$work/saxpy.hip" --via amdgcn --gpu "$gpu" --grid 4 --block 256 --arg x=buffer:float:1024:index \
            --arg y=buffer:float:1024:index --arg float:2 --arg int:1000 --save "y:$work/y.raw" --csv "$work/rows.csv"
        is "saxpy on $gpu" "$status $(od -An -tf4 -j 3992 -N 12 "$work/y.raw" | tr -s ' ')" "0  2994 2997 1000"
    done
    is "lines of the source" "$(cut -d , -f 2-4 "$work/rows.csv" | tail -n +2 | sort -u | tr '\n' ' ')" \
        "5,global,load 5,global,store "
}

# A template in a file with a main that calls CUDA.
test_template() {
    run "$lanes" --kernel tools/lanes/examples/gemm.cu --entry 'gemm<16>' --via amdgcn --gpu mi210 --grid 2x2 --block 4x16 \
        --arg buffer:float:4096 --arg buffer:float:4096 --arg buffer:float:4096 --arg int:32 --csv "$work/rows.csv"
    is "a template" "$status $(grep -c ',shared,load,' "$work/rows.csv")" "0 2"
}

test_assembly() {
    saxpy_file
    compile_for gfx90a "$work/saxpy.hip" "$work/saxpy.s"
    set -- --grid 4 --block 256 --arg x=buffer:float:1024:index --arg y=buffer:float:1024:index --arg float:2
    run "$lanes" --asm "$work/saxpy.s" --gpu mi210 "$@" --arg int:1000 --csv -
    is "a file of assembly" "$status $(grep -c ',global,' "$work/out")" "0 3"
    run "$lanes" --asm "$work/saxpy.s" --gpu mi210 "$@" --arg int:1000
    check "lines of the assembly" grep -q 'global_store_dword' "$work/out"
    refuses "an access outside the buffers" 1 "$lanes" --asm "$work/saxpy.s" --gpu mi210 "$@" --grid 5 --arg int:1030
    check "which names its line" grep -q "saxpy.s:[0-9]*: kernel saxpy, .*right after the end" "$work/err"
    refuses "assembly on an NVIDIA GPU" 2 "$lanes" --asm "$work/saxpy.s" --gpu h200 "$@" --arg int:1
    refuses "assembly for other waves" 2 "$lanes" --asm "$work/saxpy.s" --gpu rx7900xtx "$@" --arg int:1
    refuses "assembly and a way" 2 "$lanes" --asm "$work/saxpy.s" --gpu mi210 --via c --block 64
    refuses "assembly and PTX" 2 "$lanes" --asm "$work/saxpy.s" --ptx tests/data/ptx/control.ptx --gpu mi210 --block 64
    refuses "no such entry" 2 "$lanes" --asm "$work/saxpy.s" --gpu mi210 --entry other --block 64
    refuses "C++ for assembly" 2 "$lanes" --asm tools/lanes/examples/matmul.cu --gpu mi210 --block 64
    sed 's/global_store_dword/global_store_dwordx5/' "$work/saxpy.s" >"$work/unknown.s"
    refuses "an unknown instruction" 1 "$lanes" --asm "$work/unknown.s" --gpu mi210 "$@" --arg int:1
    check "which is named with its line" grep -q "unknown.s:[0-9]*: global_store_dwordx5: .*not supported" "$work/err"
    sed 's/.*global_store_dword.*/.rept 4\n&\n.endr/' "$work/saxpy.s" >"$work/repeated.s"
    refuses "what only an assembler carries out" 2 "$lanes" --asm "$work/repeated.s" --gpu mi210 "$@" --arg int:1
    sed 's/s_endpgm/s_nop 0/' "$work/saxpy.s" >"$work/endless.s"
    refuses "a kernel that runs off its end" 2 "$lanes" --asm "$work/endless.s" --gpu mi210 "$@" --arg int:1
    sed 's/^\(.*\)s_endpgm/\1s_mov_b32 s0, 0x1ffffffffffffff\n&/' "$work/saxpy.s" >"$work/wide.s"
    refuses "a number of more than 32 bits" 1 "$lanes" --asm "$work/wide.s" --gpu mi210 "$@" --arg int:1
    sed 's/s_endpgm/s_mov_b64 s[30:31], 5\n\ts_setpc_b64 s[30:31]/' "$work/saxpy.s" >"$work/astray.s"
    refuses "a jump to what is no function" 1 "$lanes" --asm "$work/astray.s" --gpu mi210 "$@" --arg int:1
    check "which says so" grep -q "calls what is no function" "$work/err"
    for options in -g0 -gline-tables-only; do
        compile_for gfx90a "$work/saxpy.hip" "$work/lines.s" $options
        run "$lanes" --asm "$work/lines.s" --gpu mi210 "$@" --arg int:1000 --json -
        tr , '\n' <"$work/out" | grep -E '"(branches|active_lanes_pct)"' >"$work/totals$options"
    done
    check "lines of the source are labelled" grep -q "^\.Ltmp" "$work/lines.s"
    is "labels of line numbers change no count" "$(cat "$work/totals-gline-tables-only")" "$(cat "$work/totals-g0")"
    sed 's/\.offset: *16$/.offset: -17/' "$work/saxpy.s" >"$work/outside.s"
    refuses "an argument outside of the arguments" 2 "$lanes" --asm "$work/outside.s" --gpu mi210 "$@" --arg int:1
    head -c 1500 "$work/saxpy.s" >"$work/cut.s"
    refuses "assembly cut short" 2 "$lanes" --asm "$work/cut.s" --gpu mi210 --block 64
}

# Modifiers, packed and 64-bit results, a variable, exchanges (one by the name from RDNA3 on), a loop over a barrier, an atomic that returns.
test_values() {
    set -- --gpu mi210 --block 64 --arg buffer:float:64:index --arg y=buffer:int:512:zero --arg int:60 --save "y:$work/y.raw"
    sed 's/ds_read2_b32.*/ds_storexchg_rtn_b32 v4, v1, v2\n\tds_read_b32 v5, v1 offset:256/' tests/data/amdgcn/sums.s >"$work/exchange.s"
    run "$lanes" --asm "$work/exchange.s" "$@"
    is "sums by an exchange in shared memory" "$status $(od -An -tf4 -j 228 -N 16 "$work/y.raw" | tr -s ' ')" "0  -456 -464 -472 0"
    run "$lanes" --asm tests/data/amdgcn/sums.s "$@" --csv "$work/rows.csv"
    is "sums of floats" "$status $(od -An -tf4 -j 228 -N 16 "$work/y.raw" | tr -s ' ')" "0  -456 -464 -472 0"
    is "packed sums, by an atomic" "$(od -An -tx4 -j 1248 -N 16 "$work/y.raw" | tr -s ' ')" " 00380070 00390072 003a0074 003b0076"
    is "two requests of an instruction that stores two words" "$(awk -F , '/shared,store/ { print $5 }' "$work/rows.csv" | tr '\n' ' ')" "2 "
    sed 's/src0_sel:WORD_1/src0_sel:WORD_7/' tests/data/amdgcn/sums.s >"$work/part.s"
    refuses "a part that a register does not have" 1 "$lanes" --asm "$work/part.s" --gpu mi210 --block 64 --arg buffer:float:64 \
        --arg buffer:int:512 --arg int:60
}

# Scalar instructions that compilers write seldom, a bit for each that is right; lanes 0 to 59 are active. Other widths and types of
# an instruction, which no GPU has, are refused.
test_scalar_forms() {
    {
        echo "s_mov_b32 s20, 0; s_mov_b32 s21, 0x7fc00000; s_mov_b32 s22, 1.0; s_mov_b64 s[24:25], exec; s_mov_b32 s26, 255; s_mov_b32 s27, 0"
        for compared in o:s22 u:s21 nlg:s22 nlg:s21; do
            echo "s_cmp_${compared%:*}_f32 s22, ${compared#*:}; s_addc_u32 s20, s20, s20"
        done
        for compared in o:s21 u:s22 nlg:2.0; do
            echo "s_cmp_${compared%:*}_f32 s22, ${compared#*:}; s_cselect_b32 s30, 0, 1; s_lshl1_add_u32 s20, s20, s30"
        done
        while read -r form source lanes; do
            registers="s[28:29]"
            [ "$form" = "${form%32}" ] || registers=s28
            echo "$form $registers, $source; s_bcnt1_i32_b64 s23, exec; s_mov_b64 exec, s[24:25]"
            echo "s_cmp_eq_u32 s23, $lanes; s_addc_u32 s20, s20, s20"
        done <<'EOF'
s_and_not0_saveexec_b64 s[26:27] 52
s_and_not1_saveexec_b64 -1 4
s_or_not1_saveexec_b64 s[26:27] 12
s_and_not0_wrexec_b64 s[26:27] 52
s_and_not1_wrexec_b64 -1 4
s_andn1_wrexec_b32 s26 52
s_orn2_saveexec_b32 s26 36
s_and_saveexec_b32 s26 36
EOF
        echo "v_mov_b32_e32 v9, s20; global_store_dword v1, v9, s[10:11] offset:512"
    } | tr ';' '\n' >"$work/forms"
    sed "/s_barrier/{
r $work/forms
}" tests/data/amdgcn/sums.s >"$work/forms.s"
    set -- --gpu mi210 --block 64 --arg buffer:float:64:index --arg y=buffer:int:512:zero --arg int:60
    run "$lanes" --asm "$work/forms.s" "$@" --save "y:$work/y.raw"
    is "forms of scalar instructions" "$status $(od -An -tx4 -j 512 -N 4 "$work/y.raw")" "0  00007fff"
    for line in "s_and_b16 s20, s20, s20" "s_cmp_class_f32 s20, s20" "s_cmp_lt_f64 s[20:21], s[20:21]" "s_cmpk_lt_f32 s20, 1" \
        "s_cmpx_lt_u32 s20, s20" "v_min_i64 v[10:11], v[2:3], v[2:3]" "v_pk_fmac_f16 v9, v2, v2"; do
        sed "s/s_barrier/$line/" tests/data/amdgcn/sums.s >"$work/form.s"
        refuses "$line" 1 "$lanes" --asm "$work/form.s" "$@"
        check "which is named" grep -q "${line%% *}" "$work/err"
    done
}

# Values that are no numbers, and DPP of two registers: a bit for each answer that is right.
test_vector_forms() {
    {
        echo "v_mov_b32_e32 v9, 0; v_mov_b32_e32 v2, 0x7fc00000; v_mov_b32_e32 v7, 0x7e00"
        echo "v_mov_b32_e32 v10, v0; v_add_u32_e32 v11, 0x100, v0"
        while IFS='|' read -r form compared; do
            echo "$form; v_cmp_$compared; v_addc_co_u32_e32 v9, vcc, v9, v9, vcc"
        done <<'EOF'
v_med3_f32 v3, v2, 2.0, 1.0|eq_f32_e32 vcc, 1.0, v3
v_med3_f32 v3, 2.0, v2, 1.0|eq_f32_e32 vcc, 1.0, v3
v_med3_f32 v3, 2.0, 1.0, v2|eq_f32_e32 vcc, 1.0, v3
v_med3_f32 v3, 2.0, 1.0, 4.0|eq_f32_e32 vcc, 2.0, v3
v_med3_f16 v3, 2.0, 1.0, v7|eq_f16_e32 vcc, 1.0, v3
v_fract_f32_e32 v3, v2|u_f32_e32 vcc, v3, v3
v_fract_f16_e32 v3, v7|u_f16_e32 vcc, v3, v3
v_mov_b64_dpp v[12:13], v[10:11] row_newbcast:3 row_mask:0xf bank_mask:0xf|eq_u32_e32 vcc, 3, v12
v_mov_b32_e32 v3, 0x103|eq_u32_e32 vcc, v3, v13
EOF
        echo "global_store_dword v1, v9, s[10:11] offset:512"
    } | tr ';' '\n' >"$work/forms"
    sed "/s_barrier/{
r $work/forms
}" tests/data/amdgcn/sums.s >"$work/forms.s"
    run "$lanes" --asm "$work/forms.s" --gpu mi210 --block 64 --arg buffer:float:64:index --arg y=buffer:int:512:zero --arg int:60 \
        --save "y:$work/y.raw"
    is "forms of vector instructions" "$status $(od -An -tx4 -j 512 -N 4 "$work/y.raw")" "0  000001ff"
}

# same_results ENTRY GPU ARGUMENT...: the saved buffers are those of the host's way, byte for byte.
same_results() {
    entry=$1 gpu=$2
    shift 2
    for via in c amdgcn; do
        mkdir -p "$work/$via"
        run "$lanes" --kernel tests/data/kernels/amd_mix.cu --entry "$entry" --via $via --gpu "$gpu" --grid 2 --block 128 "$@" \
            --save "a:$work/$via/a.raw"
        [ "$status" = 0 ] || fail "$entry by $via on $gpu" "$(head -n 3 "$work/err")"
    done
    check "$entry on $gpu: results of both ways" cmp "$work/c/a.raw" "$work/amdgcn/a.raw"
}

test_results() {
    for gpu in mi210 mi300x rx7900xtx; do
        same_results integers "$gpu" --arg a=buffer:int:6144:zero
        same_results floats "$gpu" --arg a=buffer:float:3072:zero
        same_results doubles "$gpu" --arg a=buffer:double:1536:zero
    done
}

# A code object, disassembled by LLVM's tools, has the counts of its assembly.
test_code_object() {
    if ! command -v llvm-objdump >"$work/null"; then
        skip "a code object" "LLVM's tools are not here"
        return
    fi
    saxpy_file
    for arch in gfx90a gfx1100; do
        gpu=mi210
        [ $arch = gfx90a ] || gpu=rx7900xtx
        compile_for "$arch" "$work/saxpy.hip" "$work/saxpy.s"
        assemble "$arch" "$work/saxpy.s" "$work/saxpy.co" -c
        for file in saxpy.s saxpy.co; do
            run "$lanes" --asm "$work/$file" --gpu $gpu --grid 4 --block 256 --arg x=buffer:float:1024:index --arg y=buffer:float:1024:index \
                --arg float:2 --arg int:1000 --csv "$work/$file.csv"
            cut -d , -f 3-13 "$work/$file.csv" | sort >"$work/$file.rows"
        done
        is "a code object for $arch" "$status $(cat "$work/saxpy.co.rows")" "0 $(cat "$work/saxpy.s.rows")"
    done
    mkdir -p "$work/llvm"
    printf '#!/bin/sh\nexec yes\n' >"$work/llvm/llvm-objdump-25"
    chmod +x "$work/llvm/llvm-objdump-25"
    refuses "a tool that prints without end" 1 env "PATH=$work/llvm:$PATH" "$lanes" --asm "$work/saxpy.co" --gpu rx7900xtx --block 64
    check "which is named with the limit" grep -q "saxpy.co: .*llvm-objdump-25 wrote more than 128 MiB" "$work/err"
    refuses "a tool that does not end in time" 1 env BANKSHOT_COMPILER_SECONDS=0.001 "$lanes" --asm "$work/saxpy.co" --gpu rx7900xtx \
        --block 64
    printf '\177ELF and no more' >"$work/broken.co"
    refuses "a broken code object" 2 "$lanes" --asm "$work/broken.co" --gpu mi210 --block 64
    refuses "the host's code" 2 "$lanes" --asm "$lanes" --gpu mi210 --block 64
}

# The time grows with the lines of a code object, and not with their square, by which this one takes 40 s.
test_large_code_object() {
    awk '{ print } /^[^ ]*Lfunc_end0/ { print "other:"; for (i = 0; i < 200000; i++) print "\tv_mov_b32_e32 v1, v2" }' \
        "$work/saxpy.s" >"$work/large.s"
    assemble gfx1100 "$work/large.s" "$work/large.co" -c
    # shellcheck disable=SC2016 # of the other shell
    run sh -c 'ulimit -t 15 && exec "$@"' sh "$lanes" --asm "$work/large.co" --gpu rx7900xtx --grid 4 --block 256 \
        --arg buffer:float:1024:index --arg buffer:float:1024:index --arg float:2 --arg int:1000 --csv "$work/rows.csv"
    is "a code object of 200,000 more instructions" "$status $(cut -d , -f 3-13 "$work/rows.csv" | sort)" "0 $(cat "$work/saxpy.co.rows")"
}

# Changed code objects through LLVM's tools, the translation and the launch. clang 14 knows no gfx942, and only lld links.
test_broken_code_objects() {
    for arch in gfx90a gfx942 gfx1100; do
        compile_for "$arch" tests/data/kernels/amd_turn.hip "$work/turn.s" 2>"$work/null" || continue
        assemble "$arch" "$work/turn.s" "$work/turn-$arch.co" 2>"$work/null" || assemble "$arch" "$work/turn.s" "$work/turn-$arch.co" -c
    done
    shared=${BANKSHOT_KERNEL_CACHE-}
    BANKSHOT_KERNEL_CACHE=$work/kernels
    FUZZ_LANES="$lanes --block 64 --max-time 5 --arg buffer:float:256:index --arg buffer:float:260:zero --arg int:4"
    export BANKSHOT_KERNEL_CACHE FUZZ_LANES
    mutate "code objects" fuzz_object --every 769 "$work"/turn-*.co
    unset BANKSHOT_KERNEL_CACHE FUZZ_LANES
    [ -z "$shared" ] || export BANKSHOT_KERNEL_CACHE="$shared"
}

test_options() {
    for via in c amdgcn; do
        run "$BUILD/gmem" --device sim:mi210 --via $via --variant copy --width 4 --elements 4096 --quiet
        is "the table says once that kernels ran by $via" "$(grep -c "^sim:mi210 via $via: predicted" "$work/out")" 1
    done
    refuses "an NVIDIA GPU" 2 "$BUILD/gmem" --device sim:h200 --via amdgcn --variant copy
    run "$BUILD/gmem" --device sim:mi210 --via amdgcn --variant read --width 4 --stride 1 --elements 4096 --quiet --csv -
    check "the head of the file names the compiler" grep -Eq '^# sim:mi210 instructions by: .*clang version [0-9]+' "$work/out"
    mkdir -p "$work/bin"
    for tool in cc as ld gcc; do ln -sf "$(command -v "$tool")" "$work/bin/$tool"; done
    refuses "no compiler" 3 env "PATH=$work/bin" "$BUILD/gmem" --device sim:mi210 --via amdgcn --variant copy
}

# A race that AMD's own instructions show: no barrier between a store and a load of shared memory.
test_race() {
    cat >"$work/race.hip" <<'EOF'
extern "C" __global__ void race(int *out) {
    __shared__ int words[256];
    words[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = words[255 - threadIdx.x];
}
EOF
    refuses "a race on shared memory" 1 "$lanes" --kernel "$work/race.hip" --via amdgcn --gpu mi210 --block 256 --arg buffer:int:256
    check "with both lines" grep -q "race.hip:3: .*race on shared memory.*race.hip:4" "$work/err"
}

# Each wave stores and loads one value of a thread's own array, which has no register that an index can choose.
test_scratch() {
    cat >"$work/scratch.hip" <<'EOF'
extern "C" __global__ void scratch(int *out, int to, int from) {
    int own[256];
    own[to & 255] = threadIdx.x;
    out[threadIdx.x] = own[from & 255];
}
EOF
    for gpu in mi210:4 mi300x:4 rx7900xtx:8; do
        set -- "$lanes" --kernel "$work/scratch.hip" --via amdgcn --gpu "${gpu%:*}" --block 256 --arg buffer:int:256 \
            --arg int:6 --arg int:6
        run "$@" --json -
        is "instructions of private memory on ${gpu%:*}" "$(tr , '\n' <"$work/out" | sed -n 's/.*"scratch_instructions": //p')" \
            $((2 * ${gpu#*:}))
    done
    run "$@"
    check "which the table names" grep -q " 16 loads and stores of private memory" "$work/out"
    run "$@" --fail-if 'scratch_instructions > 0'
    is "a condition on them" "$status" 1
}

# clocks_of INSTRUCTION: what a wave alone takes for each of a thousand in a row, which a loop repeats three times.
clocks_of() {
    for count in 0 1000; do
        awk -v count=$count -v added="$1" '{ print } /s_barrier/ { for (i = 0; i < count; i++) print "\t" added }' \
            tests/data/amdgcn/sums.s >"$work/row.s"
        run "$lanes" --asm "$work/row.s" --gpu mi210 --block 64 --arg buffer:float:64:index --arg buffer:int:512:zero --arg int:60 --json -
        tr , '\n' <"$work/out" | sed -n 's/.*"predicted_ns": //p'
    done | awk 'NR == 1 { before = $1 } NR == 2 { printf "%.0f", ($1 - before) * 1.7 / 3000 }'
}

# A product of matrices of 16 x 16 keeps a matrix core busy for 32 clocks.
test_rows_of_instructions() {
    is "clocks of an addition" "$(clocks_of 'v_add_f32 v10, v10, v10')" 6
    is "clocks of a product of matrices" "$(clocks_of 'v_mfma_f32_16x16x4f32 v[10:13], v2, v2, 0')" 34
}

# Kernels that trap if an answer is wrong.
test_forms() {
    [ "$("$clang" -dumpversion | cut -d . -f 1)" -ge 19 ] || {
        skip "instructions of few kernels" "clang 19 is not here"
        return
    }
    kernels=tests/data/kernels/amd_forms.hip
    right_on mi50,mi300x,rx6900xt,rx9070xt array_in_registers saturated other_lanes buffers narrow narrow_shared halves shared_sum limited
    right_on mi50,mi300x to_shared
    right_on mi50,mi300x,rx6900xt,rx9070xt bytes_multiplied rows_permuted buffer_atomics functions_called
    for gpu in mi50 rx9070xt; do
        refuses "a buffer with a stride on $gpu" 1 "$lanes" --kernel "$kernels" --via amdgcn --gpu $gpu \
            --entry records --block 64 --arg buffer:int:64:index --arg int:2
        check "which is named" grep -q "amd_forms.hip:.*a buffer with a stride" "$work/err"
    done
    everything || return
    right_on mi100,mi210,mi355x,rx7900xtx bytes_multiplied rows_permuted buffer_atomics functions_called
    right_on mi100,mi210,mi355x,rx7900xtx array_in_registers saturated other_lanes buffers narrow narrow_shared halves shared_sum limited
}

# Words that are not aligned: those that lie in two lines count in both, and a race on their last byte is found.
test_torn_words() {
    for gpu in mi300x rx9070xt; do
        run "$lanes" --kernel tests/data/kernels/amd_forms.hip --via amdgcn --gpu $gpu --entry torn --block 64 \
            --arg buffer:char:16384:index --arg buffer:char:16384 --csv "$work/rows.csv"
        is "lines of torn words on $gpu" "$status $(awk -F , '$3 == "global" { print $4, $11 }' "$work/rows.csv" | sort | tr '\n' ' ')" \
            "0 load 128 store 128 "
    done
    refuses "a race on a torn word" 1 "$lanes" --kernel tests/data/kernels/amd_forms.hip --via amdgcn --gpu mi300x --entry torn_race \
        --block 128 --arg buffer:int:128
    check "which is named" grep -q "race on shared memory" "$work/err"
    run "$lanes" --kernel tests/data/kernels/amd_forms.hip --via amdgcn --gpu mi300x,rx9070xt --entry last_byte --block 64 \
        --arg buffer:uchar:6:index --arg int:5
    is "the last byte of a buffer" "$status $(head -n 1 "$work/err")" "0 "
}

# right_on GPUS ENTRY...: kernels of the file $kernels.
right_on() {
    gpus=$1
    shift
    for entry in "$@"; do
        run "$lanes" --kernel "$kernels" --via amdgcn --gpu "$gpus" --entry "$entry" --block 64 \
            --arg buffer:int:64:index --arg int:13
        is "$entry on $gpus" "$status $(head -n 1 "$work/err")" "0 "
    done
}

# Products of matrices by each shape and type that a part has, whose kernels trap if an answer is wrong.
test_matrices() {
    [ "$("$clang" -dumpversion | cut -d . -f 1)" -ge 19 ] || {
        skip "matrix instructions" "clang 19 is not here"
        return
    }
    kernels=tests/data/kernels/amd_matrix.hip
    right_on mi100 singles halves bytes pairs_of_bfloats forms
    right_on mi210 bfloats doubles accumulators
    right_on mi300x singles halves bytes bfloats doubles small_floats signs forms
    test_matrix_example
    test_matrix_forms
    everything || return
    right_on mi210 singles halves bytes pairs_of_bfloats forms
    right_on mi300x accumulators
}

# Tiles of halves in LDS, each row of which a wave's product of matrices loads.
test_matrix_example() {
    set -- --block 256 --arg c=buffer:float:16384:zero --arg a=buffer:half:16384:random=-8,8 --arg b=buffer:half:16384:random=-8,8 --arg int:128
    for padding in 0:32 4:4; do
        run "$lanes" --gpu mi300x --kernel tools/lanes/examples/gemm_mfma.hip -D "PADDING=${padding%:*}" --grid 2x2 "$@" --csv "$work/rows.csv"
        is "passes of a tile's loads with a padding of ${padding%:*}" "$status $(awk -F , '/shared,load/ { print $5 ":" $7 / $5 }' "$work/rows.csv" | tr '\n' ' ')" \
            "0 256:${padding#*:} 256:${padding#*:} "
    done
    run "$lanes" --gpu mi300x --kernel tools/lanes/examples/gemm_mfma.hip --grid 2x2 "$@" --then \
        --kernel tests/data/kernels/amd_matrix.hip --entry compare --grid 1 --via amdgcn --arg c --arg a --arg b --arg int:128
    is "a product of matrices by tiles in LDS" "$status $(head -n 1 "$work/err")" "0 "
}

# Other shapes, registers and modifiers than an instruction has are refused.
test_matrix_forms() {
    set -- --gpu mi210 --block 64 --arg buffer:float:64:index --arg y=buffer:int:512:zero --arg int:60
    while read -r line; do
        sed "s/s_barrier/$line/" tests/data/amdgcn/sums.s >"$work/form.s"
        refuses "$line" 1 "$lanes" --asm "$work/form.s" "$@"
        check "which is named" grep -q "${line%% *}" "$work/err"
    done <<'EOF'
v_mfma_f32_32x32x3f32 v[10:41], v2, v2, 0
v_mfma_f32_16x16x4f32 v[10:12], v2, v2, 0
v_mfma_f32_16x16x16f16 v[10:13], v2, v2, 0
v_mfma_f32_16x16x4f32 v[10:13], v2, v2, v[10:12]
v_mfma_f32_16x16x1f32 v[10:25], v2, v2, 0 cbsz:3
v_mfma_f32_16x16x1f32 v[10:25], v2, v2, 0 cbsz:1 abid:2
v_mfma_f32_16x16x1f32 v[10:25], v2, v2, 0 blgp:8
v_smfmac_f32_16x16x32_f16 v[10:13], v[2:3], v[4:7], v1
EOF
}

# Sums of the wave's own numbers with a sign, which are narrower than its registers.
test_signs() {
    run "$lanes" --kernel tests/data/kernels/amd_forms.hip --via amdgcn --gpu mi50,mi300x,rx6900xt,rx9070xt --entry signs --block 64 \
        --arg buffer:int:64:index --arg char:-77 --arg short:-3111
    is "signs" "$status $(head -n 1 "$work/err")" "0 "
}

test_gmem() {
    for gpu in mi210 mi300x rx7900xtx; do
        both_ways "gmem copy on $gpu" gmem \
            "width_bytes stride requests sectors" --device "sim:$gpu" \
            --variant copy,stride-copy --width 1,4,16 --stride 1,3,32 --elements 20000
    done
}

test_smem() {
    for gpu in mi210 rx7900xtx; do
        both_ways "smem on $gpu" smem "width_bytes stride passes load_bank_conflicts store_bank_conflicts" --device "sim:$gpu" \
            --variant load,store --width 4,8,16 --stride 0,1,2,3,16,32
    done
}

test_reduce() {
    run "$BUILD/reduce" --device sim:mi210 --via amdgcn --variant all --elements 70000 --csv "$work/rows.csv" --quiet --full
    is "reduce on mi210" "$status $(counts verified | sort -u | tr '\n' ' ')" "0 yes "
}

test_values
test_scalar_forms
test_rows_of_instructions
test_vector_forms
mutate "AMDGPU assembly" fuzz_amdgcn tests/data/amdgcn/*.s
if [ -z "$clang" ]; then
    skip "AMD's instructions" "clang is not here"
    exit $((failures > 0))
fi
test_users_kernel
test_template
test_assembly
test_code_object
if command -v llvm-objdump >"$work/null"; then
    test_large_code_object
    test_broken_code_objects
fi
test_results
test_options
test_race
test_scratch
test_forms
test_matrices
test_torn_words
test_signs
test_gmem
test_smem
test_reduce
exit $((failures > 0))
