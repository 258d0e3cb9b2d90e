#!/bin/sh
# Compiles every kernel file with every compiler that is installed, for every GPU that it knows, then checks the instructions
# that it made of the pinned accesses. No GPU is needed.
# A kernel file lists the constants to try, every combination of a line, on lines such as
#   // Constants: WIDTH=1,2,4 ITEMS=16
# Without such a line a file that knows WIDTH is tried with every width.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
. tests/shell/kernel_instructions.sh

compile_kernel=$BUILD/tests/compile_kernel
make -s BUILD="$BUILD" "$compile_kernel" >"$work/make" 2>&1 || {
    fail "build of compile_kernel" "$(cat "$work/make")"
    finish
}
# shellcheck disable=SC2046 # a list of folders
kernels="$(find $(listed_probes) bench -name '*.cu' ! -path '*/plugin/*' | sort) tests/data/kernels/pinned.cu"

# Whose instructions are looked at for every GPU, and how: CHECK:FILE.
checks="check_pinned:tests/data/kernels/pinned.cu check_gmem:gmem/gmem.cu check_numbers:gmem/numbers.cu
    check_indexed:gmem/indexed.cu check_atomic:gmem/atomic.cu check_smem:smem/smem.cu check_levels:levels/levels.cu
    check_links:links/links.cu"

# looks: lines CHECK COMPILER FILE ARCH...
looks() {
    for check in $checks; do
        echo "${check%:*} nvrtc ${check#*:} compute_90"
        echo "${check%:*} nvrtc ${check#*:} sm_75 sm_80 sm_90 sm_100 sm_120"
        echo "${check%:*} hiprtc ${check#*:} gfx906 gfx90a gfx1030"
        echo "${check%:*} clang-hip ${check#*:} gfx942 gfx1100 gfx1201"
    done
    echo check_bulk nvrtc gmem/bulk.cu sm_90 sm_100 sm_120
    echo check_stream nvrtc levels/stream.cu compute_90
    echo check_cluster nvrtc smem/smem.cu compute_90
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
looks >"$work/looks"

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
    hipcc) driver=${hipcc_driver:-env HIP_PLATFORM=amd hipcc} ;; # otherwise it starts clang to find out
    clang-hip) driver="$clang -std=c++17 -nogpulib --rocm-path=$hip_include" ;;
    esac
    offload=$2
    shift 2
    $driver -x hip -I. --cuda-device-only "--offload-arch=$offload" -O3 -fpch-instantiate-templates "$@"
}

# hipcc_command: the compiler that hipcc starts, with the options that it adds before those it is given; nothing if it does not say so.
# For each compilation hipcc itself would start two more compilers, to ask them for their version and their target.
hipcc_command() {
    HIP_PLATFORM=amd HIPCC_VERBOSE=1 hipcc -x hip --cuda-device-only -fsyntax-only --offload-arch=gfx90a "$work/hipcc.empty.cu" 2>"$work/null" |
        sed -n 's/^hipcc-cmd: \(.*\) -x hip .*/\1/p' | sed 's/ --offload-arch=[^ ]*//' | tr -d '"'
}

# hip_header COMPILER ARCH: HIP's header, precompiled and its templates instantiated, because otherwise both are most of a compilation.
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

# compile COMPILER FILE LIST: makes a file for each ARCH in the folder OUT of each line of the list,
#   OUT<tab>ARCH[,ARCH...] [NAME=VALUE...]
compile() {
    case $1 in
    nvrtc) "$compile_kernel" cuda "$2" <"$3" ;;
    hiprtc) "$compile_kernel" hip "$2" <"$3" ;;
    *)
        while IFS='	' read -r out line; do
            archs=${line%% *}
            for each in $(echo "$archs" | tr , ' '); do
                # shellcheck disable=SC2086 # a list of constants
                compile_for "$1" "$each" "$2" "$out" ${line#"$archs"} || {
                    echo "with $each${line#"$archs"}"
                    return 1
                }
            done
        done <"$3"
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
    echo "$work/$(echo "$1/$2 $3" | tr ' ' '_')"
}

# compile_empty COMPILER ARCH [OPTION]: whether the compiler knows these. Its status is compile's.
compile_empty() {
    into=$(folder "$1" empty '')
    mkdir -p "$into"
    printf '#include "device/kernel/kernel.h"\nKERNEL void empty(void) {}\n' >"$work/$1.empty.cu"
    printf '%s\t%s\n' "$into" "$2 ${3:-}" >"$work/$1.list"
    compile "$1" "$work/$1.empty.cu" "$work/$1.list" >"$work/$1.log" 2>&1
}

# unseen COMPILER: what becomes of a file's configurations after the first where nobody looks at the outcome, as compilations.awk has
# it. The last will do for slow compilers, among which a newer clang looks for warnings beside one that tries all, and NVRTC hardly
# optimizes them if it knows how.
unseen() {
    case $1 in
    hiprtc | clang-hip | nvcc | hipcc | "$clang") echo last ;;
    nvrtc) if compile_empty nvrtc compute_90 -Ofc=max; then echo -Ofc=max; else echo all; fi ;;
    *) echo all ;;
    esac
}

# compile_file COMPILER ARCH[,ARCH...] UNSEEN FILE
compile_file() {
    configurations "$4" | awk -v compiler="$1" -v archs="$2" -v unseen="$3" -v file="$4" -v work="$work" \
        -f tests/shell/compilations.awk "$work/looks" - >"$work/$1.list"
    cut -f 1 "$work/$1.list" | sed 's/.*/"&"/' | xargs mkdir -p
    if compile "$1" "$4" "$work/$1.list" >"$work/$1.log" 2>&1; then
        ok "$1: $4"
    else
        fail "$1: $4" "$(grep -i error "$work/$1.log" | head -n 5)" "$(tail -n 1 "$work/$1.log")"
    fi
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
    known=
    for each_arch in "$@"; do
        compile_empty "$compiler" "$each_arch"
        case $? in
        0)
            known=${known:+$known,}$each_arch
            case $compiler in hipcc | clang-hip) compile_hip_header "$compiler" "$each_arch" >"$work/$compiler.log" 2>&1 ;; esac
            [ "$compiler" != hipcc ] || hipcc_driver=$(hipcc_command)
            ;;
        3)
            skip "$compiler" "$(tail -n 1 "$work/$compiler.log")"
            return
            ;;
        *) skip "$compiler: $each_arch" "this version does not know it: $(head -n 1 "$work/$compiler.log")" ;;
        esac
    done
    [ -n "$known" ] || return
    unseen=$(unseen "$compiler")
    for kernel in $kernels; do
        compile_file "$compiler" "$known" "$unseen" "$kernel"
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
    compile_with nvrtc sm_90 sm_75 sm_80 sm_100 sm_120 compute_90
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

# cubins ARCH: those that will be looked at.
cubins() {
    looks | awk -v arch="$1" '$2 == "nvrtc" { for (i = 4; i <= NF; i++) if ($i == arch) print $3 }' | sort -u |
        while read -r file; do ls "$work/nvrtc/${file}"_*/"$1" 2>"$work/null"; done
}

for arch in sm_75 sm_80 sm_90 sm_100 sm_120; do
    cubins "$arch" >"$work/cubins"
    disassemble_cubins "$arch" "$work/cubins"
done
while read -r line; do
    # shellcheck disable=SC2086 # a list of words
    look $line
done <"$work/looks"
finish
