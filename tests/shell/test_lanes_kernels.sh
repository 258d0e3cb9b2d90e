#!/bin/sh
# What lanes says about kernels: the cost of each line, inputs and results, advice, and one line for every fault. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

lanes=$BUILD/lanes
built "$lanes"

# kernel_run FILE OPTION...: lanes --kernel on a file of $work/kernels or of tools/lanes/examples.
kernel_run() {
    file=$1
    shift
    run "$lanes" --kernel "$file" "$@"
}

# line_costs NAME EXPECTED LINE-TEXT COLUMN: the values of a column in the rows of $work/out below a line of source.
line_costs() {
    found=$(awk -v text="$3" -v column="$4" '
        index($0, text) { beneath = 1; next }
        /^ *[0-9]+  / { beneath = 0 }
        beneath && NF > 4 { print $column }' "$work/out" | tr '\n' ' ' | sed 's/ $//')
    is "$1" "$found" "$2"
}

# A buffer is made here and copied to the device.
test_memory() {
    printf '__global__ void touch(float *x) { x[threadIdx.x] = 1; }\n' >"$work/touch.cu"
    if ! little_memory 40; then
        skip "buffers that do not fit into memory" "mounting another /proc/meminfo needs root"
        return
    fi
    for case in "0 1M" "2 8M"; do
        run "$work/little" "$lanes" --kernel "$work/touch.cu" --block 32 --arg "buffer:float:${case#* }"
        is "a buffer of ${case#* } floats in 40 MB" "$status $(grep -c '^lanes: --arg: .*: make the buffers smaller$' "$work/err")" \
            "${case% *} $([ "$case" = "0 1M" ] && echo 0 || echo 1)"
    done
}

test_kernels() {
    matmul="--grid 2x2 --block 32x32 --arg buffer:float:4K --arg buffer:float:4K --arg buffer:float:4K --arg int:64"
    # Clang 19 makes 8 loads of the 32 elements for an MI210, clang 14 makes 12, some of them narrower.
    newest=$(newest_clang) && newest=$(major_version "$newest")
    case $newest in
    19) amd='1024 57344 8.00 2.00' ;;
    14) amd='1536 90112 5.33 6.67' ;;
    *)
        skip "matmul on an MI210" "its counts are known of the code of clang 14 and 19, and the newest here is ${newest:-none}"
        amd=
        ;;
    esac
    # shellcheck disable=SC2086 # four numbers
    set -- $amd
    # shellcheck disable=SC2086 # a list of options
    kernel_run tools/lanes/examples/matmul.cu --gpu "h200${amd:+,mi210}" $matmul
    line_costs "matmul, requests of the conflicting line" "8192${amd:+ $1}" "from_b = b_tile" 4
    line_costs "matmul, its passes" "32.00${amd:+ 64.00}" "from_b = b_tile" 6
    line_costs "matmul, its conflicts" "253952${amd:+ $2}" "from_b = b_tile" 7
    line_costs "matmul, the broadcast beside it" "1.00${amd:+ $3}" "from_a = a_tile" 6
    # shellcheck disable=SC2086 # a list of options
    kernel_run tools/lanes/examples/matmul.cu -D PADDING=1 --gpu "h200${amd:+,mi210}" $matmul
    line_costs "matmul, padded" "1.00${amd:+ $4}" "from_b = b_tile" 6

    # shellcheck disable=SC2086 # a list of options
    kernel_run tools/lanes/examples/matmul.cu $matmul --advise --fail-if 'conflicts > 0'
    is "a condition that is true" "$status $(cut -d : -f 1,2 "$work/err")" "1 lanes: --fail-if 'conflicts > 0'"
    is "the line that wastes most" "$(sed '1,/^advice/d' "$work/out" | tr -s '\n ' '  ' |
        grep -c '^[^ ]*matmul.cu:21: shared load.* 128 bytes apart.*(1 pass then)')" 1
    predicted=$(sed -n 's/ *\([0-9.]*\) us in place of .*/\1/p' "$work/out" | head -n 1)
    before=$(sed -n 's/.*predicted: \([0-9.]*\) us.*/\1/p' "$work/out")
    check "the shares are of a whole" awk '$NF == "%" || $NF == "!" {
        sum += $NF == "!" ? $(NF - 2) : $(NF - 1) } /^advice/ { exit } END { exit !(sum > 80 && sum < 100) }' "$work/out"
    # shellcheck disable=SC2086 # a list of options
    kernel_run tools/lanes/examples/matmul.cu -D PADDING=1 $matmul --advise --fail-if 'conflicts > 0' --json "$work/matmul.json"
    is "a condition that is false" "$status $(grep -c "no line's usual cure gains" "$work/out")" "0 1"
    after=$(sed -n 's/.*predicted: \([0-9.]*\) us.*/\1/p' "$work/out")
    check "advice predicts what the cure gains to 2 %" awk -v "gain=$(echo "$before $predicted" | awk '{ print $1 - $2 }')" \
        -v "real=$(echo "$before $after" | awk '{ print $1 - $2 }')" 'BEGIN { exit !(gain > 0.98 * real && gain < 1.02 * real) }'
    is "the same as JSON" "$(tr ',' '\n' <"$work/matmul.json" | grep -c '"passes": 8192')" 2
    if command -v python3 >/dev/null; then
        check "which is JSON" python3 -m json.tool "$work/matmul.json"
    fi
    for condition in "conflicts >" "conflict > 0" "conflicts > 0x" "> 0" "conflicts 0"; do
        refuses "--fail-if '$condition'" 2 "$lanes" --kernel tools/lanes/examples/matmul.cu --block 32x32 --fail-if "$condition"
    done
    refuses "--advise without a kernel" 2 "$lanes" --advise
    # shellcheck disable=SC2086 # a list of options
    kernel_run tools/lanes/examples/matmul.cu $matmul --gpu "$two" --line 21 --svg "$work/line.svg"
    is "a request of a line" "$(head -n 1 "$work/out")" "  21  float from_b = b_tile[x][k];"
    is "its conflicts, pass by pass" "$(grep -c '!' "$work/out") $(awk 'length($0) > 80' "$work/out")" "60 "
    is "the same as SVG" "$(grep -c '<text.*fill="white">31</text>' "$work/line.svg")" 1
    is "which names the line" "$(grep -c '>matmul.cu:21: float from_b = b_tile\[x\]\[k\];</text>' "$work/line.svg")" 1
    printf '__global__ void f(int *a) {\n    a[threadIdx.x] = 1 << 2 & 7; // f\374r \303\274\n}\n' >"$work/signs.cu"
    kernel_run "$work/signs.cu" --block 32 --arg buffer:int:32 --line 2 --svg "$work/line.svg"
    printf '>signs.cu:2: a[threadIdx.x] = 1 &lt;&lt; 2 &amp; 7; // f\357\277\275r \303\274</text>\n' >"$work/caption"
    check "whatever its characters" grep -qFf "$work/caption" "$work/line.svg"
    # shellcheck disable=SC2086 # a list of options
    kernel_run tools/lanes/examples/matmul.cu $matmul --line 16
    is "a line with a load and a store" "$(grep -cE '^(global load|shared store), 4 bytes' "$work/out")" 2
    # shellcheck disable=SC2086 # a list of options
    refuses "a line without a request" 2 "$lanes" --kernel tools/lanes/examples/matmul.cu $matmul --line 18
    is "which names the others" "$(grep -c 'are 16, 17, 20, 21, 26$' "$work/err")" 1
    refuses "a line without a kernel" 2 "$lanes" --line 18
    refuses "an SVG of a whole kernel" 2 "$lanes" --kernel tools/lanes/examples/matmul.cu --block 32 --svg "$work/line.svg"
    refuses "a line on three GPUs" 2 "$lanes" --gpu h200,h100,a100 --kernel tools/lanes/examples/matmul.cu --block 32 --line 16

    transpose="--grid 4x4 --block 32x8 --arg buffer:float:16K --arg buffer:float:16K --arg int:128"
    # shellcheck disable=SC2086 # a list of options
    kernel_run tools/lanes/examples/transpose.cu --gpu h200 --csv - $transpose
    is "transpose as CSV, passes" "$(column passes "$work/out" | xargs)" "512 16384"
    is "transpose as CSV, sectors" "$(column sectors "$work/out" | xargs)" "2048 2048"
    # shellcheck disable=SC2086 # a list of options
    kernel_run tools/lanes/examples/transpose.cu -D PADDING=1 --gpu h200 --csv - $transpose
    is "transpose padded" "$(column passes "$work/out" | xargs)" "512 512"

    tile="--block 32x32 --arg buffer:float:32K --arg buffer:float:32 --arg int:1024"
    # shellcheck disable=SC2086 # a list of options
    kernel_run tools/lanes/examples/tile_load.cu --entry by_row $tile
    line_costs "a tile by row, sectors and passes" "4.00 1.00" "matrix[threadIdx.y" 6
    # shellcheck disable=SC2086 # a list of options
    kernel_run tools/lanes/examples/tile_load.cu --entry by_column $tile
    line_costs "a tile by column" "32.00 32.00" "matrix[threadIdx.x" 6

    gemm="--grid 2x2 --block 8x32 --arg buffer:float:4K --arg buffer:float:4K --arg buffer:float:4K --arg int:64"
    # shellcheck disable=SC2086 # a list of options
    kernel_run tools/lanes/examples/gemm.cu --entry 'gemm<32>' $gemm
    line_costs "gemm, four floats by each lane, sectors and passes" "16.00 4.00" "a_tile[y][x] = " 6
    line_costs "gemm, four rows in one bank" "1024" "from_a = " 7
    # shellcheck disable=SC2086 # a list of options
    kernel_run tools/lanes/examples/gemm.cu --entry 'gemm<32>' -D PADDING=1 $gemm
    line_costs "gemm, padded" "2.00" "from_a = " 6
    kernel_run tools/lanes/examples/softmax.cu --grid 4 --block 256 --arg buffer:float:4K --arg buffer:float:4K --arg int:1024
    line_costs "softmax, the fold of eight warps" "448" "fold(value, partial[warp])" 4
    kernel_run tools/lanes/examples/stencil.cu --entry 'stencil<3>' --grid 4 --block 256 --shared 1048 --arg buffer:float:1K \
        --arg buffer:float:1K --arg int:1024
    line_costs "stencil, the halo's requests" "3 4" "in[i - RADIUS]" 4
    line_costs "stencil, its sum" "224" "part[own + k]" 4

    run "$lanes" --ptx tools/lanes/examples/softmax_triton.ptx --grid 2 --block 128 --shared 16 --arg out=buffer:float:2x1024 \
        --arg buffer:float:2x1024 --arg int:1024 --arg ulong:0 --arg ulong:0 --save out:"$work/triton.raw"
    line_costs "Triton's softmax, a line of Python" "16" "x = tl.load" 4
    line_costs "Triton's softmax, what it calls" "8 8" "power = tl.exp" 4
    check "Triton's softmax, rows that sum up to 1" sh -c "od -An -v -tf4 -w4096 '$work/triton.raw' |
        awk '{ sum = 0; for (i = 1; i <= NF; i++) sum += \$i; if (sum < 0.9999 || sum > 1.0001) exit 1 } END { exit NR != 2 }'"
    # Two blocks: a launch takes 1.6 us, and loads and barriers in turn take the rest.
    check "Triton's softmax, its time" sh -c "sed -n 's/.*predicted: \([0-9.e+]*\) us.*/\1/p' '$work/out' | awk '{ exit !(\$1 > 1.6 && \$1 < 3) }'"
    for entry in plain swizzled; do
        run "$lanes" --ptx tools/lanes/examples/tensor_tile.ptx --entry $entry --block 128 --arg buffer:half:64x64:value=1 \
            --arg buffer:half:64x64:index --arg c=buffer:float:64x64 --save c:"$work/$entry.raw" --json "$work/$entry.json"
        check "$entry tiles for tensor cores, the product" sh -c "od -An -v -tf4 -w4 '$work/$entry.raw' | awk '
            (NR - 1) % 64 < 32 && \$1 != 4096 * ((NR - 1) % 64) + 2016 { exit 1 } END { exit NR != 4096 }'"
        is "$entry tiles for tensor cores, conflicts" \
            "$(sed -n 's/.*"branches"[^[]*"bank_conflicts": \([0-9]*\),.*/\1/p' "$work/$entry.json")" "$([ $entry = plain ] && echo 2240 || echo 0)"
    done

    kernel_run tools/lanes/examples/histogram.cu --grid 4 --block 256 --arg buffer:uchar:64K --arg int:65536 \
        --arg buffer:uint:256:zero --sim-blocks 2
    is "a histogram, half of its blocks" "$status" 0
}

# validated NAME FILE OPTION...: by C++ the kernel counts what its row of docs/validation.md says: global requests and sectors, shared
# requests, passes and conflicts.
validated() {
    name=$1 file=$2
    shift 2
    run "$lanes" --kernel "tools/lanes/examples/$file" --csv - "$@"
    awk -f scripts/csv.awk -f tests/shell/memory_sums.awk "$work/out" >"$work/sums"
    is "the counts of $name that docs/validation.md has" "$(cat "$work/sums")" \
        "$(sed -n '/^### Counts by PTX/,/^### Public/p' docs/validation.md | awk -F ' *[|] *' -v name="$name" '
            { sub(/ [(].*/, "", $2) }
            $2 == name { counts = sprintf("%d %d %d %d %d ", $3, $4, $5, $6, $7) }
            END { print counts }')"
}

test_validation() {
    square="--arg buffer:float:16K --arg buffer:float:16K --arg"
    # shellcheck disable=SC2086 # a list of options
    {
        validated matmul matmul.cu --grid 4x4 --block 32x32 $square buffer:float:16K --arg int:128
        validated matmul-padded matmul.cu -D PADDING=1 --grid 4x4 --block 32x32 $square buffer:float:16K --arg int:128
        validated transpose transpose.cu --grid 4x4 --block 32x8 $square int:128
        validated transpose-padded transpose.cu -D PADDING=1 --grid 4x4 --block 32x8 $square int:128
    }
    for order in row column; do
        validated "tile-by_$order" tile_load.cu --entry "by_$order" --block 32x32 --arg buffer:float:32K --arg buffer:float:32 \
            --arg int:1024
    done
    validated gemm32 gemm.cu --entry 'gemm<32>' --grid 2x2 --block 8x32 --arg buffer:float:4K --arg buffer:float:4K \
        --arg buffer:float:4K --arg int:64
    validated softmax softmax.cu --grid 4 --block 256 --arg buffer:float:4K --arg buffer:float:4K --arg int:1024
    validated stencil stencil.cu --entry 'stencil<3>' --grid 4 --block 256 --shared 1048 --arg buffer:float:1K --arg buffer:float:1K \
        --arg int:1024
}

# faulty NAME PATTERN TEXT OPTION...: the kernel of this text must fail with status 1, and the last line on standard error match.
faulty() {
    name=$1 pattern=$2
    printf '%b' "$3" >"$work/faulty.cu"
    shift 3
    run "$lanes" --kernel "$work/faulty.cu" --block 64 "$@"
    if [ "$status" -eq 1 ] && [ ! -s "$work/out" ] && tail -n 1 "$work/err" | grep -Eq "^lanes: .*$pattern.*: "; then
        ok "$name"
    else
        fail "$name" "status $status" "$(tail -n 3 "$work/err")"
    fi
}

# The active lanes of an access are those of its requests, and not of the branch before it in the same line.
test_active_lanes() {
    cat >"$work/few.cu" <<'EOF'
__global__ void few(int *a, int n) {
    if (threadIdx.x < n) a[threadIdx.x] = threadIdx.x;
}
EOF
    for n in 1 5 32; do
        kernel_run "$work/few.cu" --gpu h200 --block 32 --arg buffer:int:32 --arg "int:$n" --csv -
        is "active lanes of a store by $n lanes" "$(column active_lanes "$work/out")" "$n.00"
        kernel_run "$work/few.cu" --gpu h200 --block 32 --arg buffer:int:32 --arg "int:$n"
        line_costs "the same in the table, $n" "$n.0" "a[threadIdx.x] =" 5
    done
}

# The kernel of docs/lesson.md whose command prints no table.
test_lesson() {
    kernel_run tools/lanes/examples/lesson/neighbours.cu --gpu h200 --grid 64 --block 256 --arg buffer:float:16K --arg buffer:float:16K
    is "the lesson's race is found" "$status $(sed -n 's/.*neighbours.cu:\([0-9]*\): kernel.*writes .* of .part., which .*neighbours.cu:\([0-9]*\) reads.*/\1 \2/p' "$work/err")" "1 9 16"
}

# Texts as editors and compilers leave them, and what a message says of them.
test_texts() {
    printf '\357\273\277__global__ void f(int *a) {\n    a[threadIdx.x] = 1;\n}\n' >"$work/marked.cu"
    kernel_run "$work/marked.cu" --gpu h200 --block 32 --arg buffer:int:32 --csv -
    is "a byte order mark before a kernel" "$status $(column line "$work/out")" "0 2"
    printf '#include "marked.cu"\n' >"$work/includes.cu"
    kernel_run "$work/includes.cu" --gpu h200 --block 32 --arg buffer:int:32 --csv -
    is "a byte order mark before a header" "$status $(column requests "$work/out")" "0 1"
    printf '// Not in the dialect of "device/kernel/kernel.h".\n__global__ void f(int *a) {\n    a[threadIdx.x] = 1;\n}\n' >"$work/named.cu"
    kernel_run "$work/named.cu" --gpu h200 --block 32 --arg buffer:int:32 --csv -
    is "a comment that names the dialect" "$status $(column line "$work/out")" "0 3"
    printf '#include "device/kernel/kernel.h"\n#include "one.h"\nKERNEL void f(int *a) { a[threadIdx.x] = ONE; }\n' >"$work/own.cu"
    echo '#define ONE 1' >"$work/one.h"
    here=$(cd "$BUILD" && pwd)
    check "a header beside a kernel of the working folder" within "$work" "$here/lanes" --kernel own.cu --block 32 --arg buffer:int:32 --csv -
    odd="$work/it's a \"folder\""
    mkdir "$odd" && cp "$work/includes.cu" "$work/marked.cu" "$odd"
    check "a folder with quotes in its name" within "$odd" "$here/lanes" --kernel includes.cu --block 32 --arg buffer:int:32 --csv -
    for body in 'for (;;);' 'while (true) { }'; do
        faulty "$body at once" 'faulty.cu:2: .*still runs after 0.5 s' "__global__ void f(int *a) {\n    $body\n}\n" \
            --arg buffer:int:64 --max-time 0.5
    done
    cat >"$work/register.ptx" <<'EOF'
.version 8.0
.target sm_90
.address_size 64
.reg .u32 %r1;
.visible .entry f(.param .u64 a)
{
    mov.u32 %r1, 1;
    ret;
}
EOF
    refuses "a register of a whole PTX file" 1 "$lanes" --ptx "$work/register.ptx" --block 32 --arg buffer:int:32
    is "which names its line" "$(grep -c 'register.ptx:4: a register of the whole file' "$work/err")" 1
}

# A kernel runs in a process of its own: whatever it does ends that, and the message names the line.
test_hostile_kernels() {
    buffer="--arg buffer:int:64 --max-time 0.5"
    dialect='#include "device/kernel/kernel.h"\n' # which runs natively
    # shellcheck disable=SC2086,SC3045 # a list of options; most shells limit memory
    {
        faulty "exit(0)" 'faulty.cu:3: .*ends the process' "${dialect}KERNEL void f(int *a) {\n    exit(0);\n}\n" $buffer
        faulty "abort" 'faulty.cu:3: .*calls abort' "${dialect}KERNEL void f(int *a) {\n    abort();\n}\n" $buffer
        faulty "sleep" 'faulty.cu:4: .*sleeps' \
            "${dialect}unsigned sleep(unsigned);\nKERNEL void f(int *a) {\n    sleep(100);\n}\n" $buffer
        faulty "a thread of its own" 'faulty.cu:6: .*starts a process or a thread' \
            "${dialect}int pthread_create(void *, void *, void *(*)(void *), void *);\nvoid *g(void *x) { return x; }\nKERNEL void f(int *a) {\n    long t;\n    pthread_create(&t, 0, g, 0);\n}\n" $buffer
        faulty "a system call" 'faulty.cu:3: .*opens a file' \
            "${dialect}KERNEL void f(int *a) {\n    a[0] = fopen(\"/etc/passwd\", \"r\") != 0;\n}\n" $buffer
        faulty "a stack that overflows" 'faulty.cu:1: .*256 KiB' \
            '__device__ int g(int n) { volatile char c[4096]; c[n & 4095] = n; return n ? g(n + 1) + c[0] : 0; }\n__global__ void f(int *a) { a[0] = g(1); }\n' $buffer
        faulty "a wild pointer" 'faulty.cu:2: .*writes 4 bytes at 0x123450' \
            '__global__ void f(int *a) {\n    *(int *)0x123450 = 1;\n}\n' $buffer
        faulty "a wild pointer in the C library" 'faulty.cu:3: .*cannot be made' \
            "${dialect}KERNEL void f(int *a) {\n    printf(\"%s\", (char *)0x1234);\n}\n" $buffer
        faulty "a function of the host" 'faulty.cu:2: .*(error|no body of system)' \
            'extern "C" __device__ int system(const char *);\n__global__ void f(int *a) { a[0] = system("true"); }\n' $buffer
        faulty "assembly that never ends" 'faulty.cu:3: .*still runs after 0.5 s' \
            '#include "device/kernel/kernel.h"\nKERNEL void f(int *a) {\n    __asm__ volatile("1: jmp 1b");\n}\n' $buffer
        faulty "memory without end" 'faulty.cu:6: .*cannot be made' \
            '#include "device/kernel/kernel.h"\nvoid *mmap(void *, unsigned long, int, int, int, long);\nKERNEL void f(int *a) {\n    for (;;) {\n        long *p = mmap(0, 1 << 26, 3, 0x22, -1, 0);\n        __asm__ volatile("movq $1, (%0)" : : "r"(p) : "memory");\n    }\n}\n' $buffer
        faulty "an invalid instruction" 'faulty.cu:3: .*instruction is not valid' \
            "${dialect}KERNEL void f(int *a) {\n    __builtin_trap();\n}\n" $buffer
        faulty "a signal to the tool" 'faulty.cu:4: .*system call' \
            "${dialect}int kill(int, int), getppid(void);\nKERNEL void f(int *a) {\n    kill(getppid(), 9);\n}\n" $buffer
        faulty "a signal that cannot be caught" 'faulty.cu ended its process by signal 9' \
            "${dialect}int raise(int);\nKERNEL void f(int *a) {\n    raise(9);\n}\n" $buffer
        faulty "output into every open file" 'ended without a result' \
            "${dialect}long write(int, const void *, unsigned long);\nKERNEL void f(int *a) {\n    for (int i = 3; i < 64; i++) write(i, \"no result \", 10);\n}\n" $buffer
        faulty "memory that a kernel allocates" 'faulty.cu:2: .*memory that a kernel allocates' \
            '__global__ void f(int *a) {\n    a[0] = (long)malloc(1 << 30);\n}\n' $buffer
        faulty "templates without end" 'faulty.cu:[13]:.*error' \
            'template <int N> struct S { static const int v = S<N + 1>::v; };\n__global__ void f(int *a) {\n    a[0] = S<0>::v;\n}\n' $buffer
        # A compiler may take gigabytes, all of which it would fill.
        (ulimit -v 1000000 && faulty "a device's file for a header" 'no regular file' '#include "/dev/zero"\n__global__ void f(int *a) {\n}\n' $buffer && exit "$failures") || failures=1
        faulty "a million blocks" 'still runs after 0.5 s' \
            '__global__ void f(int *a) {\n    a[threadIdx.x] = 1;\n}\n' $buffer --grid 1000000
        faulty "another file for a header" 'error' '#include "/etc/passwd"\n__global__ void f(int *a) {\n}\n' $buffer
        faulty "inline PTX that is none" 'faulty.cu:2: .*nop' '__global__ void f(int *a) {\n    asm volatile("nop;");\n}\n' $buffer
    }
    printf '%s\n' '#include <cstdio>' '__global__ void f(int *a) {' '    printf("hello\n");' '    a[threadIdx.x] = 1;' '}' \
        >"$work/print.cu"
    run "$lanes" --kernel "$work/print.cu" --block 1 --arg buffer:int:1 --csv -
    is "what a kernel prints stays out of the rows" "$(grep -c hello "$work/out") $(grep -c hello "$work/err")" "0 1"
    printf '__global__ void f() {}\0' >"$work/nul.cu"
    refuses "a zero byte in a kernel" 2 "$lanes" --kernel "$work/nul.cu" --block 1
    { yes 'typedef int a;' | head -n 660000; printf '\n__global__ void f(int *c) { c[0] = 1; }\n'; } >"$work/long.cu"
    check "10 MB of source" "$lanes" --kernel "$work/long.cu" --block 1 --arg buffer:int:1 --csv "$work/long.csv"
}

# An atomic on one address of an H200 at 1980 MHz takes 1.45 clocks (docs/validation.md), so 262144 of them take 192 us, and a
# launch on all units 2.4 us; those of each block on its own address go side by side, as far as slices of the L2 do. A few blocks
# tell the addresses of all.
test_atomics() {
    cat >"$work/atomics.cu" <<'EOF'
__global__ void one(unsigned *out) { atomicAdd(out, 1u); }
__global__ void own(unsigned *out) { atomicAdd(out + blockIdx.x, 1u); }
__global__ void store(unsigned *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1u; }
EOF
    for blocks in 4 1024; do
        for entry in one own store; do
            run "$lanes" --gpu h200 --kernel "$work/atomics.cu" --entry "$entry" --grid 1024 --block 256 --sim-blocks "$blocks" \
                --arg buffer:uint:256K:zero --advise
            sed -n 's/^ *predicted/predicted/p' "$work/out" >"$work/$entry.$blocks"
            sed '1,/^advice/d' "$work/out" | tr -s '\n ' '  ' >"$work/advice.$entry"
        done
        is "atomics on one address, of $blocks blocks" "$(cat "$work/one.$blocks")" "predicted: 194 us, bound by atomics"
        is "atomics on each block's own, of $blocks blocks" "$(cat "$work/own.$blocks")" \
            "predicted: 4.95 us, bound by launch"
        is "plain stores, of $blocks blocks" "$(cat "$work/store.$blocks")" "predicted: 2.76 us, bound by launch"
    done
}

# floats FILE and integers FILE: the numbers of a raw file, one per line.
floats() { od -An -v -tf4 -w4 "$1"; }
integers() { od -An -v -td4 -w4 "$1"; }

# What goes into kernels and what comes out: files, contents, strides, and two kernels in turn on the same buffers.
test_inputs() {
    cat >"$work/pipeline.cu" <<'EOF'
__global__ void square(const float *in, float *squares, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) squares[i] = in[i] * in[i];
}
__global__ void gather(const float *from, const int *index, float *out, float more) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = from[index[i]] + more;
}
EOF
    run "$lanes" --kernel "$work/pipeline.cu" --entry square --grid 2 --block 96 --arg in=buffer:float:8x24:range=-3,0.5 \
        --arg buffer:float:192 --arg int:192 --save in:"$work/in.npy" --save squares:"$work/squares.raw" --save 3:"$work/none.raw"
    is "a number is no buffer" "$status $(grep -c 'no such buffer' "$work/err")" "2 1"
    run "$lanes" --kernel "$work/pipeline.cu" --entry square --grid 2 --block 96 --arg in=buffer:float:8x24:range=-3,0.5 \
        --arg both=buffer:float:192 --arg int:192 --then --entry gather --arg both --arg p=buffer:int:192:permutation \
        --arg buffer:float:8x24@1x8 --arg float:1 --save in:"$work/in.npy" --save squares:"$work/squares.raw" \
        --save p:"$work/p.raw" --save out:"$work/out.npy" --save 5:"$work/out.raw" --csv "$work/pipeline.csv"
    is "two kernels in turn" "$status $(column kernel "$work/pipeline.csv" | xargs)" "0 square square gather gather"
    check "the first one's result" sh -c "od -An -v -tf4 -w4 '$work/squares.raw' |
        awk '{ x = -3 + 0.5 * (NR - 1); if (\$1 != x * x) exit 1 } END { exit NR != 192 }'"
    is "a permutation" "$(integers "$work/p.raw" | sort -n | xargs)" "$(seq -s ' ' 0 191)"
    integers "$work/p.raw" >"$work/p"
    floats "$work/out.raw" | paste "$work/p" - >"$work/pairs"
    # The last buffer's columns are dense, so that thread i stores to its row i % 8 and column i / 8.
    check "the second one's result, by rows of a buffer with strides" awk '
        { p[NR - 1] = $1; out[NR - 1] = $2 }
        END { for (i = 0; i < 192; i++) { x = -3 + 0.5 * p[i]; if (out[i % 8 * 24 + int(i / 8)] != x * x + 1) exit 1 } }' "$work/pairs"
    if python3 -c 'import numpy' 2>"$work/null"; then
        check "NumPy's answer is the same" python3 -c "
import numpy as np
a, p, out = np.load('$work/in.npy'), np.fromfile('$work/p.raw', 'i4'), np.load('$work/out.npy')
assert a.shape == out.shape == (8, 24) and a.dtype == np.float32
np.testing.assert_array_equal(((a * a).ravel()[p] + 1).reshape(24, 8).T, out)"
    else
        skip "NumPy's answer is the same" "numpy is not installed"
    fi
    rm "$work/squares.raw"
    run "$lanes" --gpu h200,gtx1080 --kernel "$work/pipeline.cu" --entry square --grid 2 --block 96 --arg in=buffer:float:8x24 \
        --arg buffer:float:192 --arg int:192 --shared 100K --save squares:"$work/squares.raw"
    check "no file is written where a later GPU cannot run the kernel" test "$status" = 2 -a ! -e "$work/squares.raw"
    {
        printf '#include <cuda_fp16.h>\nstruct Shape { int rows, columns; };\n'
        printf 'struct Params { const float *in; float *out; Shape shape; unsigned char flags[3]; double bias; bool negate; };\n'
        printf 'struct Next { __device__ float operator()(float x) const { return x + 1; } };\n'
        printf 'template <class F> __global__ void apply(Params p, F f, bool flag, signed char less, half h, float4 v) {\n'
        printf '    int i = threadIdx.x;\n    p.bias += f(p.in[i]) + flag + less + (float)h + v.x + v.w + p.flags[2] + p.shape.columns;\n'
        printf '    p.out[i] = p.negate ? -p.bias : p.bias;\n}\n'
    } >"$work/structs.cu"
    structs="--kernel $work/structs.cu --entry apply<Next> --block 3 --arg buffer:float:3:index --arg buffer:float:3 --arg int:2
        --arg int:3000 --arg uchar:1 --arg uchar:2 --arg uchar:7 --arg double:0.25 --arg bool:1 --arg bool:1 --arg char:-5
        --arg half:0.5 --arg float:10 --arg float:0 --arg float:0"
    # shellcheck disable=SC2086 # a list of options
    run "$lanes" $structs --arg float:20 --save 2:"$work/structs.raw"
    is "structs and small numbers by value" "$(floats "$work/structs.raw" | xargs)" "-3034.75 -3035.75 -3036.75"
    # shellcheck disable=SC2086 # a list of options
    run "$lanes" $structs
    is "a member without an argument" "$status $(grep -c "15 arguments, too few for the members of parameter 'v' of 16 bytes" "$work/err")" \
        "2 1"
    copy="--kernel $work/pipeline.cu --entry square --block 1 --arg int:1"
    run "$lanes" --kernel "$work/pipeline.cu" --entry square --block 6 --arg file:tests/data/npy/rows.npy --arg buffer:float:6 --arg int:6 \
        --save squares:"$work/rows.raw"
    is "a .npy file" "$(floats "$work/rows.raw" | xargs)" "0 1 4 9 16 25"
    run "$lanes" --kernel "$work/pipeline.cu" --entry square --block 6 --arg file:float:"$work/rows.raw" --arg buffer:float:6 --arg int:6 \
        --save squares:"$work/rows2.raw"
    is "a file of floats" "$(floats "$work/rows2.raw" | xargs)" "0 1 16 81 256 625"
    # shellcheck disable=SC2086 # a list of options
    for bad in file:tests/data/npy/struct.npy file:"$work/none" file:"$work" file:double:"$work/rows.npy" file:int:"$work/csv" \
        buffer:float:4@ buffer:float:4:one buffer:real:4 a=b; do
        refuses "--arg $bad" 2 "$lanes" $copy --arg "$bad"
    done
    # shellcheck disable=SC2086 # a list of options
    {
        refuses "a name that is taken" 2 "$lanes" $copy --arg a=int:1 --arg a=int:2
        refuses "a --save without a file" 2 "$lanes" $copy --save in
        refuses "a --save to the standard output, which holds the report" 2 "$lanes" $copy --save in:-
        refuses "a --save into no folder" 2 "$lanes" $copy --save in:"$work/none/a.npy"
    }
    refuses "--then without a kernel" 2 "$lanes" --stride 2 --then --entry a
}

test_advice() {
    is "advice on atomics" "$(grep -c 'atomics.cu:1: .*combine the lanes' "$work/advice.one")" 1
    is "advice on whole rows" "$(grep -c 'Each lane accesses 4 bytes of a row' "$work/advice.store")" 1
    cat >"$work/copy.cu" <<'EOF'
__global__ void copy(const float *from, float *to) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = from[3 * i];
    to[i % 64 * 4096 + i / 64] = x;
}
EOF
    run "$lanes" --kernel "$work/copy.cu" --grid 1024 --block 256 --arg buffer:float:768K --arg buffer:float:256K --advise
    is "advice on a column and on an array of structs" "$(sed -n \
        's/^[^ ]*copy.cu:\([0-9]*\): .*/\1/p; s/^ *Neighbouring lanes are \([0-9]*\) bytes apart.*/\1/p' "$work/out" | xargs)" "4 16384 3 12"
    is "the bytes used of a struct" "$(tr -s '\n ' '  ' <"$work/out" | grep -c 'take 4 of them, as in an array of structures: make it a structure of arrays')" 1
}

test_faulty_kernels() {
    buffer="--arg buffer:int:64:zero"
    # shellcheck disable=SC2086 # a list of options
    {
        faulty "a kernel that does not compile" 'faulty.cu:2:' \
            '__global__ void f(int *a) {\n    a[threadIdx.x] = b;\n}\n' $buffer
        check "the compiler's own message is shown" grep -q "faulty.cu:2:.*error" "$work/err"
        faulty "a library that is not there" 'faulty.cu:2:.*error' \
            '#include <cutlass/tile.h>\n__global__ void f(int *a) { a[0] = cutlass::tile; }\n' $buffer
        faulty "a kernel that never ends" 'faulty.cu:2: .*still runs' \
            '__global__ void f(int *a) {\n    while (a[0] == 0) { }\n}\n' $buffer --max-time 0.5
        faulty "a write out of bounds" 'faulty.cu:2: .*writes 4 bytes' \
            '__global__ void f(int *a) {\n    a[threadIdx.x + 1] = 1;\n}\n' $buffer
        faulty "a race" 'faulty.cu:[34]: .*race' \
            '__global__ void f(int *a) {\n    __shared__ int s[64];\n    s[threadIdx.x] = 1;\n    a[threadIdx.x] = s[63 - threadIdx.x];\n}\n' $buffer
    }
    printf '__global__ void f(int *a) {\n}\n__global__ void g(int *a) {\n}\n' >"$work/two.cu"
    refuses "two kernels, none named" 2 "$lanes" --kernel "$work/two.cu" --block 64 --arg buffer:int:64
    check "the kernels are listed" grep -q 'two.cu: several kernels in the file: name one of f, g$' "$work/err"
    refuses "no kernel of this name" 2 "$lanes" --kernel "$work/two.cu" --entry h --block 64 --arg buffer:int:64
    printf 'int x;\n' >"$work/x.cu"
    refuses "no kernel" 2 "$lanes" --kernel "$work/x.cu" --block 64 --arg buffer:int:64
    printf '<(' >"$work/x.cu"
    refuses "signs alone" 2 "$lanes" --kernel "$work/x.cu" --block 64 --arg buffer:int:64
    printf '__global__ void f(int *a) {\n    a[threadIdx.x] = 1;\n}\n' >"$work/faulty.cu"

    mkdir -p "$work/folder"
    for argument in "file:$work/folder" "file:float:$work/folder" file:float:/dev/zero buffer:int:1048576x1048576@0x0 map:8x8:buffer:half:8x8589934592@0x0; do
        refuses "--arg $argument" 2 timeout 20 "$lanes" --kernel "$work/faulty.cu" --block 64 --arg "$argument"
    done
    refuses "a limit that is no number" 2 "$lanes" --kernel "$work/faulty.cu" --block 64 --fail-if 'conflicts > nan'
    refuses "no such kernel file" 2 "$lanes" --kernel "$work/none.cu"
    check "the file is named before what else is missing" grep -q "none.cu: cannot be read" "$work/err"
    refuses "a kernel without its arguments" 2 "$lanes" --kernel tools/lanes/examples/transpose.cu --grid 4 --block 32x8
    check "which are named as in the source" \
        grep -q '^lanes: --arg: none is given, but kernel transpose has parameters (in, out, n): .* --arg int:64$' "$work/err"
    refuses "a folder for a kernel" 2 "$lanes" --kernel "$work" --block 64
    refuses "a kernel without a block" 2 "$lanes" --kernel "$work/faulty.cu"
    refuses "a kernel and a stride" 2 "$lanes" --kernel "$work/faulty.cu" --block 64 --stride 2
    refuses "a grid without a kernel" 2 "$lanes" --grid 4
    check "the option is named" grep -q "^lanes: --grid: " "$work/err"
    refuses "a grid of nothing" 2 "$lanes" --kernel "$work/faulty.cu" --block 64 --grid 0
    printf '%s\n' '__global__ void f(unsigned long *out, unsigned long n) { out[n == 18446744073709551615ul ? 0 : 64] = n; }' \
        >"$work/largest.cu"
    check "the largest number" "$lanes" --kernel "$work/largest.cu" --block 1 --arg buffer:ulong:1 --arg \
        ulong:18446744073709551615
    for value in int:2147483648 int:-2147483649 uint:4294967296 uint:-1 long:9223372036854775808 ulong:18446744073709551616 \
        ulong:-1 float:x double: ; do
        refuses "$value" 2 "$lanes" --kernel "$work/largest.cu" --block 1 --arg buffer:ulong:1 --arg "$value"
    done
    refuses "an argument of no type" 2 "$lanes" --kernel "$work/faulty.cu" --block 64 --arg 4
    refuses "a number that is none" 2 "$lanes" --kernel "$work/faulty.cu" --block 64 --arg int:4x
    refuses "a buffer of no elements" 2 "$lanes" --kernel "$work/faulty.cu" --block 64 --arg buffer:int:0
    refuses "a constant that is none" 2 "$lanes" --kernel "$work/faulty.cu" --block 64 -D A
    refuses "a constant that is no name" 2 "$lanes" --kernel "$work/faulty.cu" --block 64 -D 1A=2
    refuses "a constant that is given twice" 2 "$lanes" --kernel "$work/faulty.cu" --block 64 -D A=1 -D A=2
}

# Every output, which scripts/test.sh also tests with the sanitizers.
test_outputs() {
    for output in "" --advise "--csv -" "--json -" "--line 14" "--line 14 --svg $work/line.svg" "--gpu $two" \
        "--save out:$work/out.npy"; do
        # shellcheck disable=SC2086 # a list of options
        run "$lanes" --kernel tools/lanes/examples/transpose.cu --grid 2x2 --block 32x8 --arg buffer:float:64x64 --arg out=buffer:float:64x64 --arg int:64 $output
        is "a kernel's counts with ${output:-no options}" "$status" 0
    done
    run "$lanes" --ptx tests/data/ptx/control.ptx --block 32 --shared 128 --arg buffer:int:128:index --arg buffer:int:32 --arg int:5 --arg int:2
    is "counts of PTX" "$status" 0
}

two=h200,a100
! compiles_for mi210 || two=h200,mi210
if ! "$BUILD/lanes" --list-devices 2>/dev/null | grep -q "^sim:"; then
    skip "kernels" "the simulator is not built here"
elif ! compiles_for h200; then
    skip "kernels" "$no_compiler"
else
    test_outputs
    [ "${1:-}" != outputs ] || finish
    test_kernels
    test_validation
    test_inputs
    test_memory
    test_atomics
    test_advice
    test_faulty_kernels
    test_hostile_kernels
    test_active_lanes
    test_texts
    test_lesson
fi
mutate ".npy files" fuzz_npy tests/data/npy/*
mutate "kernels' sources" fuzz_user tools/lanes/examples/softmax.cu tools/lanes/examples/gemm.cu
finish
