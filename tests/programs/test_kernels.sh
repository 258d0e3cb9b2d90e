#!/bin/sh
# Compiles every kernel file with every compiler that is installed, for every GPU that it knows, then checks the instructions
# that it made of the pinned accesses. No GPU is needed.
# A kernel file lists the constants to try, every combination of a line, on lines such as
#   // Constants: WIDTH=1,2,4 ITEMS=16
# Without such a line a file that knows WIDTH is tried with every width.
cd "$(dirname "$0")/../.." || exit 1
. tests/programs/lib.sh
. tests/programs/kernel_instructions.sh

compile_kernel=$BUILD/tests/compile_kernel
make -s BUILD="$BUILD" "$compile_kernel" >"$work/make" 2>&1 || {
    fail "build of compile_kernel" "$(cat "$work/make")"
    finish
}
# shellcheck disable=SC2046 # a list of folders
kernels="$(find $(listed_probes) bench -name '*.cu' ! -path '*/plugin/*' | sort) tests/kernels/pinned.cu"

# Whose instructions are looked at for every GPU, and how: CHECK:FILE.
checks="check_pinned:tests/kernels/pinned.cu check_gmem:gmem/gmem.cu check_numbers:gmem/numbers.cu
    check_indexed:gmem/indexed.cu check_atomic:gmem/atomic.cu check_smem:smem/smem.cu check_levels:levels/levels.cu
    check_links:links/links.cu"

# looked_at FILE: its check, or nothing.
looked_at() {
    echo "$checks" | tr ' ' '\n' | grep ":$1\$"
}

# first COMMAND...: the first of these that is installed.
first() {
    for command in "$@"; do
        command -v "$command" && return
    done
}
hip_include=$(for folder in "${ROCM_PATH:-/opt/rocm}" /usr; do
    [ ! -e "$folder/include/hip/hip_runtime.h" ] || echo "$folder"
done | head -n 1)
clang=$(first clang-22 clang-21 clang-20 clang-19)
nvcc=$(first nvcc /usr/local/cuda/bin/nvcc)
nvdisasm=$(first nvdisasm "${CUDA_HOME:-/usr/local/cuda}/bin/nvdisasm" /usr/local/cuda/bin/nvdisasm)
objdump=$(first llvm-objdump-19 llvm-objdump /usr/lib/llvm-19/bin/llvm-objdump /usr/lib/llvm-15/bin/llvm-objdump \
    /opt/rocm/llvm/bin/llvm-objdump)

# missing COMPILER: why it cannot be used, or nothing.
missing() {
    case $1 in
    nvrtc | hiprtc) ;;
    nvcc) [ -n "$nvcc" ] || echo "nvcc is not here" ;;
    hipcc) command -v hipcc >"$work/null" || echo "hipcc is not here" ;;
    clang-hip)
        [ -n "$clang" ] || echo "clang 19 or newer is not here"
        [ -z "$clang" ] || [ -n "$hip_include" ] || echo "HIP's headers are not here"
        ;;
    *) command -v "$1" >"$work/null" || echo "$1 is not here" ;;
    esac
}

# hip_compile COMPILER ARCH ARGUMENT...: for the device only.
hip_compile() {
    case $1 in
    hipcc) driver=hipcc ;;
    clang-hip) driver="$clang -std=c++17 -nogpulib --rocm-path=$hip_include" ;;
    esac
    offload=$2
    shift 2
    $driver -x hip -I. --cuda-device-only "--offload-arch=$offload" -O3 "$@"
}

# hip_header COMPILER ARCH: precompiles HIP's header, because reading it is most of a compilation.
hip_header() { echo "$work/$1-$2.pch"; }

compile_hip_header() {
    hip_compile "$1" "$2" -fsyntax-only -Xclang -emit-pch -Xclang -o -Xclang "$(hip_header "$1" "$2")" \
        "$hip_include/include/hip/hip_runtime.h"
}

c11="-x c -std=c11 -I. -Wall -Wextra -Wpedantic -Werror"

# compile_for COMPILER ARCH FILE OUT [NAME=VALUE...]
compile_for() {
    compiler=$1 arch=$2 file=$3 to=$4/$2
    shift 4
    width=32
    case $arch in gfx9*) width=64 ;; esac
    set -- "$@" "WARP_WIDTH=$width"
    for constant in "$@"; do
        shift
        set -- "$@" "-D$constant"
    done
    case $compiler in
    nvcc) "$nvcc" -I. "$@" "-arch=$arch" -ptx -o "$to" "$file" ;;
    hipcc | clang-hip)
        header=$(hip_header "$compiler" "$arch")
        [ ! -e "$header" ] || set -- "$@" -Xclang -include-pch -Xclang "$header"
        hip_compile "$compiler" "$arch" "$@" -S -o "$to" "$file"
        ;;
    *clang*) "$compiler" -fsyntax-only $c11 "$@" "$file" ;; # its warnings, unlike gcc's, do not need the optimizer
    *) "$compiler" -O2 -S $c11 "$@" -o "$to" "$file" ;;
    esac
}

# compile COMPILER ARCH[,ARCH...] FILE OUT [NAME=VALUE...]: makes a file for each ARCH in the folder OUT.
compile() {
    compiler=$1 archs=$2 file=$3 out=$4
    shift 4
    case $compiler in
    nvrtc) "$compile_kernel" cuda "$file" "$out" "$archs" "$@" ;;
    hiprtc) "$compile_kernel" hip "$file" "$out" "$archs" "$@" ;;
    *)
        for each in $(echo "$archs" | tr , ' '); do
            compile_for "$compiler" "$each" "$file" "$out" "$@" || return
        done
        ;;
    esac
}

# configurations FILE: each combination of its constants, one per line.
configurations() {
    awk '
        /^\/\/ Constants: / {
            lines = 1; line[1] = ""
            for (i = 3; i <= NF; i++) {
                split($i, part, "=")
                n = split(part[2], value, ","); m = 0
                for (l = 1; l <= lines; l++) for (v = 1; v <= n; v++) next_line[++m] = line[l] part[1] "=" value[v] " "
                for (lines = m; m > 0; m--) line[m] = next_line[m]
            }
            for (l = 1; l <= lines; l++) print line[l]
            found = 1
        }
        /WIDTH|word_t/ { wide = 1 }
        END {
            if (!found && !wide) print ""
            for (width = 1; !found && wide && width <= 16; width *= 2) print "WIDTH=" width
        }' "$1"
}

# folder COMPILER FILE CONSTANTS: where that compilation leaves its output.
folder() {
    echo "$work/$1/$2 $3" | tr ' ' '_'
}

# compile_file COMPILER ARCH[,ARCH...] FILE
compile_file() {
    compiler=$1 archs=$2 file=$3
    # NVRTC and C are quick. Of the slow ones the first and the last will do where nobody looks at the outcome.
    case $compiler in
    hiprtc | clang-hip) every=$(looked_at "$file") ;;
    nvcc | hipcc) every= ;;
    *) every=yes ;;
    esac
    if [ -n "$every" ]; then configurations "$file"; else configurations "$file" | sed -n '1p; $p' | uniq; fi \
        >"$work/$compiler.configurations"
    while read -r constants; do
        into=$(folder "$compiler" "$file" "$constants")
        mkdir -p "$into"
        # shellcheck disable=SC2086 # $constants is a list
        compile "$compiler" "$archs" "$file" "$into" $constants >"$work/$compiler.log" 2>&1 || {
            fail "$compiler: $file" "$archs $constants" "$(grep -i error "$work/$compiler.log" | head -n 5)"
            return
        }
    done <"$work/$compiler.configurations"
    ok "$compiler: $file"
}

# compile_with COMPILER ARCH...: compiles all kernels for those GPUs that the compiler knows.
compile_with() {
    compiler=$1
    shift
    why=$(missing "$compiler")
    [ -z "$why" ] || {
        skip "$compiler" "$why"
        return
    }
    into=$(folder "$compiler" empty '')
    mkdir -p "$into"
    printf '#include "device/kernel/kernel.h"\nKERNEL void empty(void) {}\n' >"$work/$compiler.empty.cu"
    known=
    for each_arch in "$@"; do
        compile "$compiler" "$each_arch" "$work/$compiler.empty.cu" "$into" >"$work/$compiler.log" 2>&1
        case $? in
        0)
            known=${known:+$known,}$each_arch
            case $compiler in hipcc | clang-hip) compile_hip_header "$compiler" "$each_arch" >"$work/$compiler.log" 2>&1 ;; esac
            ;;
        3)
            skip "$compiler" "$(tail -n 1 "$work/$compiler.log")"
            return
            ;;
        *) skip "$compiler: $each_arch" "this version does not know it: $(head -n 1 "$work/$compiler.log")" ;;
        esac
    done
    [ -n "$known" ] || return
    for kernel in $kernels; do
        compile_file "$compiler" "$known" "$kernel"
    done
}

# look CHECK COMPILER FILE ARCH...: applies the check to every output of the file.
look() {
    how=$1 compiler=$2 file=$3
    shift 3
    name="$compiler: instructions of $file for $*"
    configurations "$file" >"$work/configurations"
    looked=0
    while read -r constants; do
        out=$(folder "$compiler" "$file" "$constants")
        width=$(echo "$constants" | sed 's/.*WIDTH=\([0-9]*\).*/\1/')
        items=$(echo "$constants" | sed 's/.*ITEMS=\([0-9]*\).*/\1/')
        for arch in "$@"; do
            [ -e "$out/$arch" ] || continue
            if ! has_disassembler "$out/$arch"; then
                skip "$name" "its disassembler (nvdisasm, llvm-objdump) is not here"
                return
            fi
            looked=$((looked + 1))
            "$how" "$out/$arch" "$width" "$items" >"$work/difference" || {
                fail "$name" "$arch $constants" "$(cat "$work/difference")"
                return
            }
        done
    done <"$work/configurations"
    if [ "$looked" -gt 0 ]; then ok "$name"; else skip "$name" "$compiler made none"; fi
}

# shellcheck disable=SC2086 # $kernels is a list
is "constants stand on lines of their own" "$(grep 'Constants: ' $kernels | grep -v '^[^:]*:// Constants: ')" ""

nvidia() {
    compile_with nvrtc sm_75 sm_80 sm_90 sm_100 sm_120 compute_75
    compile_with nvcc sm_90
    compile_with gcc c11
}

amd() {
    compile_with hiprtc gfx906 gfx90a gfx1030
    compile_with hipcc gfx90a
    compile_with clang c11
    [ -z "$clang" ] || compile_with "$clang" c11 # a newer clang warns of more
    compile_with clang-hip gfx942 gfx1100 gfx1201
}

nvidia >"$work/nvidia" 2>&1 &
amd >"$work/amd" 2>&1
wait
cat "$work/nvidia" "$work/amd"
failures=$((failures + $(cat "$work/nvidia" "$work/amd" | grep -c '^FAIL')))

# looks: lines CHECK COMPILER FILE ARCH...
looks() {
    for check in $checks; do
        echo "${check%:*} nvrtc ${check#*:} compute_75"
        echo "${check%:*} nvrtc ${check#*:} sm_75 sm_80 sm_90 sm_100 sm_120"
        echo "${check%:*} hiprtc ${check#*:} gfx906 gfx90a gfx1030"
        echo "${check%:*} clang-hip ${check#*:} gfx942 gfx1100 gfx1201"
    done
    echo check_bulk nvrtc gmem/bulk.cu sm_90 sm_100 sm_120
    echo check_shared nvrtc apsp/kernels/shared.cu sm_90
    for kernel in tile_product whole_round; do
        echo "check_copies nvrtc apsp/kernels/$kernel.cu sm_80 sm_90 sm_100"
        echo "check_copies hipcc apsp/kernels/$kernel.cu gfx90a"
        echo "check_copies clang-hip apsp/kernels/$kernel.cu gfx942"
    done
    echo check_register_tiled nvrtc apsp/kernels/register_tiled.cu sm_90 sm_100 sm_120
    echo check_register_tiled hipcc apsp/kernels/register_tiled.cu gfx90a
    echo check_register_tiled clang-hip apsp/kernels/register_tiled.cu gfx942 gfx1100 gfx1201
}

# cubins ARCH: those that will be looked at.
cubins() {
    looks | awk -v arch="$1" '$2 == "nvrtc" { for (i = 4; i <= NF; i++) if ($i == arch) print $3 }' | sort -u |
        while read -r file; do ls "$work/nvrtc/${file}"_*/"$1" 2>"$work/null"; done
}

looks >"$work/looks"
for arch in sm_75 sm_80 sm_90 sm_100 sm_120; do
    cubins "$arch" >"$work/cubins"
    disassemble_cubins "$arch" "$work/cubins"
done
while read -r line; do
    # shellcheck disable=SC2086 # a list of words
    look $line
done <"$work/looks"
finish
