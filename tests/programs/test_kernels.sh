#!/bin/sh
# Compiles every kernel file with every compiler that is installed, for every GPU that it knows, then checks the instructions
# that it made of the pinned accesses. No GPU is needed.
# A kernel file lists the constants to try, every combination of a line, on lines such as
#   // Constants: WIDTH=1,2,4 ITEMS=16
# Without such a line a file that knows WIDTH is tried with every width.
cd "$(dirname "$0")/../.." || exit 1
. tests/programs/lib.sh

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

# missing COMPILER: why it can't be used, or nothing.
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

c11="-x c -std=c11 -I. -Wall -Wextra -Wpedantic -Werror -S"

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
    *clang*) "$compiler" -O0 $c11 "$@" -o "$to" "$file" ;; # its warnings, unlike gcc's, do not need the optimizer
    *) "$compiler" -O2 $c11 "$@" -o "$to" "$file" ;;
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

# has_disassembler FILE: whether there is a program that turns this compiler's output into text.
has_disassembler() {
    case $1 in
    */nvrtc/*/sm_*) [ -n "$nvdisasm" ] ;;
    */hiprtc/*) [ -n "$objdump" ] ;;
    esac
}

# disassemble FILE: its text, which is made once, because several checks read it.
disassemble() {
    [ -e "$1.text" ] || case $1 in
    */nvrtc/*/sm_*) "$nvdisasm" -ndf -c "$1" ;;
    */hiprtc/*) "$objdump" -d "$1" ;;
    *) cat "$1" ;;
    esac >"$1.text"
    cat "$1.text"
}

# accesses FILE: the memory instructions in a compiler's output.
accesses() {
    disassemble "$1" | awk -f tests/programs/accesses.awk | LC_ALL=C sort
}

# What tests/kernels/pinned.cu must come out as; on AMD with at least three loads under way.
pinned_accesses() {
    cat <<LIST
copy_neighbours global load $1 4
copy_neighbours global store $1 4
read_apart global load $1 4
read_apart global store 8 1
shared_again global store 8 1
shared_again shared load $1 4
shared_again shared store $1 4
shared_neighbours global store 8 1
shared_neighbours shared load $1 4
shared_neighbours shared store $1 4
LIST
}

check_pinned() {
    accesses "$1" >"$work/found"
    pinned_accesses "$2" >"$work/expected"
    grep -v in-flight "$work/found" | diff "$work/expected" - &&
        awk '$2 == "in-flight" && /^(copy|read)/ && $3 < 3 { print; few = 1 } END { exit few }' "$work/found"
}

# gmem's kernels: every access to the data is WIDTH wide, at least ITEMS of them, half of them under way at once or more.
check_gmem() {
    accesses "$1" | awk -v width="$2" -v items="$3" '
        $1 !~ /^stride_/ { next }
        { seen[$1] = 1 }
        $2 == "in-flight" { if ($1 ~ /copy|read/ && $3 < items / 2) { print; bad = 1 } next }
        $2 == "shared" { next } # of the checksums
        $2 != "global" || $4 != width { print; bad = 1 }
        $5 + 0 < ($3 == "store" && $1 == "stride_write" ? 1 : items) { print; bad = 1 }
        END { exit bad || !seen["stride_copy"] || !seen["stride_read"] || !seen["stride_write"] }'
}

# Whether a compiler has put a variable into memory.
spills() {
    disassemble "$1" | grep -Eq '[[:space:]](LDL|STL)[ .]|(ld|st)\.local|ScratchSize: [1-9]'
}

# The kernels of triad and sum: every access to the data is WIDTH wide, two streams of ITEMS loads or one, and nothing is
# spilled. With the ITEMS that gmem gives each of them half of the loads are under way at once or more.
check_numbers() {
    ! spills "$1" || return
    accesses "$1" | awk -v width="$2" -v items="$3" '
        { loads = $1 == "triad" ? 2 * items : items }
        $2 == "in-flight" {
            if (width * items == ($1 == "triad" ? 16 : 64) && $3 < loads / 2) { print; bad = 1 }
            next
        }
        $2 == "shared" { next }
        $1 == "sum" && $3 == "store" { print; bad = 1 } # its sums are atomics
        { seen[$1 " " $3] = 1 }
        $4 != width || $5 < ($3 == "load" ? loads : items) { print; bad = 1 }
        END { exit bad || !seen["triad load"] || !seen["triad store"] || !seen["sum load"] }'
}

# Bulk copies: a load and a store of copy_bulk, a load of read_bulk, and no other access to global memory but the checksum's.
check_bulk() {
    ! spills "$1" || return
    disassemble "$1" | awk '
        /UBLKCP\.S\.G/ { loads++ }
        /UBLKCP\.G\.S/ { stores++ }
        /[ \t](LDG|STG)\./ { print; bad = 1 }
        END { exit bad || loads != 2 || stores != 1 }'
}

# Gathers and scatters: ITEMS accesses to the data at least, each WIDTH wide, beside indices of 4 bytes and a sum.
check_indexed() {
    ! spills "$1" || return
    accesses "$1" | awk -v width="$2" -v items="$3" '
        $2 == "in-flight" { if ($1 != "scatter" && $3 < items / 2) { print; bad = 1 } next }
        $2 != "global" || ($4 != width && $4 != 4) { print; bad = 1 }
        $4 == width { count[$1 " " $3] = $5 }
        END {
            loads = width == 4 ? 2 * items : items
            exit bad || count["gather load"] < loads || count["scatter store"] < items ||
                count["gather_scatter load"] < loads || count["gather_scatter store"] < items
        }'
}

# Atomic additions: where nobody asks for the value before, NVIDIA's instruction does not fetch it; and no compiler adds up
# what the lanes of a warp bring to one address.
check_atomic() {
    ! spills "$1" || return
    case $1 in
    */sm_*) disassemble "$1" | awk '
        /^\.text\.|Function|\.section[ \t]+\.text/ { entry = /fetch/ ? "fetch" : "add" }
        /[ \t]RED[A-Z]*\./ && !/REDUX/ { red[entry]++ }
        /[ \t]ATOMG?\./ { atom[entry]++ }
        /REDUX|MATCH|POPC/ { print; bad = 1 }
        END { exit bad || !red["add"] || atom["add"] || !atom["fetch"] || red["fetch"] }' ;;
    esac
}

# smem's kernels: what they time is WIDTH wide, and as many as they say (UNROLL 8), however often the loop is unrolled.
check_smem() {
    accesses "$1" | awk -v width="$2" '
        $1 !~ /^shared_(load|store|load_latency)$/ || $2 != "shared" { next }
        $4 != width { print; bad = 1 }
        { count[$1 " " $3] = $5; if ($5 != 1 && $5 % 8) { print; bad = 1 } }
        END {
            exit bad || count["shared_load load"] < 8 || count["shared_store store"] < 8 ||
                count["shared_load_latency load"] < 8 || count["shared_load store"] != 1
        }'
}

# apsp's kernels with tiles in shared memory: where the loop is unrolled, an update does not need an address of its own.
check_shared() {
    disassemble "$1" | awk '
        function end_entry() {
            if (updates < 128) return
            if (16 * before > updates) { print entry, before " additions for " updates " updates"; bad = 1 }
        }
        /^\.text\./ { end_entry(); entry = $1; updates = before = since = 0 }
        /[ \t]VIADDMNMX/ { if (updates) before += since; updates++; since = 0 }
        /[ \t](IADD3|VIADD|LEA)[ .]/ { since++ }
        END { end_entry(); exit bad }'
}

# apsp's kernels that live in registers: few registers of a kernel end up in memory, on AMD none; shared memory is read 16 bytes
# at once; and where the part adds and takes the minimum in one instruction, that one is used.
check_register_tiled() {
    accesses "$1" | awk '
        $2 == "shared" && $3 == "load" { if ($4 != 16) { print; bad = 1 } seen[$1] = 1 }
        END { exit bad || !seen["phase1"] || !seen["phase2"] || !seen["phase3"] || !seen["phase3_cross"] }' || return
    disassemble "$1" | awk -v part="${1##*/}" '
        /^\.text\./ { kernel = $1 }
        /[ \t](LDL|STL)[ .]/ { local[kernel]++ }
        /^phase[0-9a-z_]*:/ { entry = $1 }
        /; ScratchSize: / && $3 > 0 { print entry, $0; bad = 1 }
        /VIADDMNMX/ { found = 1 }
        END {
            for (kernel in local) if (local[kernel] > 40) { print kernel, local[kernel] " accesses to local memory"; bad = 1 }
            exit bad || (part ~ /^sm_(90|100)$/ && !found)
        }'
}

check_copies() { disassemble "$1" | awk -v part="${1##*/}" -f tests/programs/spills.awk; }

# levels' chases: in a run of some 30 (UNROLL) or more accesses each one's address is what the one before has loaded, and on a GPU
# nothing stands between them but a wait. In a run of some 30 stores each is waited for.
check_levels() {
    disassemble "$1" | awk -f tests/programs/chains.awk >"$work/chains" &&
        awk '
            $2 < 30 { print; bad = 1 }
            { seen[$1] = 1 }
            END { exit bad || !seen["chase"] || !seen["chase_atomic"] || !seen["chase_read_only"] || !seen["chase_shared"] || \
                !seen["chase_store"] || !seen["chase_partitions"] || !seen["chase_after_another"] }
        ' "$work/chains"
}

# links' copies: every access is 16 bytes wide, at least ITEMS of them, half of them under way at once or more.
check_links() {
    accesses "$1" | awk -v width="$2" -v items="$3" '
        $1 != "link_copy" { next }
        $2 == "in-flight" { if ($3 < items / 2) { print; bad = 1 } next }
        $2 != "global" || $4 != width || $5 < items { print; bad = 1 }
        { seen[$3] = 1 }
        END { exit bad || !seen["load"] || !seen["store"] }'
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

for check in $checks; do
    look "${check%:*}" nvrtc "${check#*:}" compute_75
    look "${check%:*}" nvrtc "${check#*:}" sm_75 sm_80 sm_90 sm_100 sm_120
    look "${check%:*}" hiprtc "${check#*:}" gfx906 gfx90a gfx1030
    look "${check%:*}" clang-hip "${check#*:}" gfx942 gfx1100 gfx1201
done
look check_bulk nvrtc gmem/bulk.cu sm_90 sm_100 sm_120
look check_shared nvrtc apsp/kernels/shared.cu sm_90
for kernel in tile_product whole_round; do
    look check_copies nvrtc "apsp/kernels/$kernel.cu" sm_80 sm_90 sm_100
    look check_copies hipcc "apsp/kernels/$kernel.cu" gfx90a
    look check_copies clang-hip "apsp/kernels/$kernel.cu" gfx942
done
look check_register_tiled nvrtc apsp/kernels/register_tiled.cu sm_90 sm_100 sm_120
look check_register_tiled hipcc apsp/kernels/register_tiled.cu gfx90a
look check_register_tiled clang-hip apsp/kernels/register_tiled.cu gfx942 gfx1100 gfx1201
finish
