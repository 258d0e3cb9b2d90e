# What a compiler must have made of the kernels, by its assembly or what a disassembler says of its output: sourced by
# tests/shell/test_kernels.sh, which finds $nvdisasm and $objdump. A check is CHECK FILE WIDTH ITEMS.
# shellcheck shell=sh disable=SC2154 # work, nvdisasm, objdump: there

# has_disassembler FILE: whether there is a program that turns this compiler's output into text.
has_disassembler() {
    case $1 in
    */nvrtc/*/sm_*) [ -n "$nvdisasm" ] ;;
    */hiprtc/*) [ -n "$objdump" ] ;;
    esac
}

# disassemble_cubins ARCH LIST: makes the text of every cubin that the file LIST names, by one nvdisasm, which takes longer to begin than
# to disassemble one of them. What it cannot do so is left to disassemble.
disassemble_cubins() {
    [ -n "$nvdisasm" ] && [ -s "$2" ] || return 0
    xargs readelf -SW /dev/null <"$2" 2>"$work/null" | # it names the files only if there are several
        awk -v step=pieces -f tests/shell/cubin_text.awk >"$work/pieces"
    awk -v step=join -f tests/shell/cubin_text.awk "$work/pieces" | while read -r cubin begin bytes; do
        tail -c "+$((begin + 1))" "$cubin" | head -c "$bytes"
    done >"$work/code"
    "$nvdisasm" -b "SM${1#sm_}" -ndf "$work/code" >"$work/code.text" 2>"$work/null" || return 0
    awk -v step=split -f tests/shell/cubin_text.awk "$work/pieces" "$work/code.text"
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
    disassemble "$1" | awk -f tests/shell/accesses.awk | LC_ALL=C sort
}

# What tests/data/kernels/pinned.cu must come out as; on AMD with at least three loads under way.
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

check_copies() {
    case $1 in *PIVOTS=32*) least=4 ;; *) least=8 ;; esac # half as many pivots make half as many copies
    disassemble "$1" | awk -v part="${1##*/}" -v least="$least" -f tests/shell/spills.awk
}

# levels' chases: in a run of some 30 (UNROLL) or more accesses each one's address is what the one before has loaded, and on a GPU
# nothing stands between them but a wait. In a run of some 30 stores each is waited for.
check_levels() {
    disassemble "$1" | awk -f tests/shell/chains.awk >"$work/chains" &&
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

# has FILE PATTERN...: whether each pattern is in its text.
has() {
    text=$1
    shift
    for pattern; do
        grep -Eq "$pattern" "$text" || {
            echo "no $pattern"
            return 1
        }
    done
}

# levels/stream.cu as PTX: the policy, or the kind of copy, that the constants in the file's folder ask for.
check_stream() {
    case $1 in
    *POLICY=1/*) has "$1" 'ld\.global\.ca\.v4' ;;
    *POLICY=2/*) has "$1" 'ld\.global\.cg\.v4' ;;
    *POLICY=3/*) has "$1" 'ld\.global\.cs\.v4' ;;
    *POLICY=4/*) has "$1" 'ld\.global\.nc\.v4' ;;
    *POLICY=5/*) has "$1" 'ld\.volatile\.global\.v4' ;;
    *POLICY=6/*) has "$1" 'ld\.global\.L1::evict_first\.v4' ;;
    *POLICY=7/*) has "$1" 'ld\.global\.L1::evict_last\.v4' ;;
    *POLICY=8/*) has "$1" 'ld\.global\.L1::no_allocate\.v4' ;;
    *POLICY=9/*) has "$1" 'createpolicy\.fractional\.L2::evict_first' 'ld\.global\.L2::cache_hint\.v4' ;;
    *POLICY=10/*) has "$1" 'createpolicy\.fractional\.L2::evict_last' 'ld\.global\.L2::cache_hint\.v4' ;;
    *PAST_L1=1/*) has "$1" 'cp\.async\.cg\.shared\.global .*, 16;' 'cp\.async\.wait_group' 'cp\.async\.bulk\.shared::cluster\.global' ;;
    *STAGES=*) has "$1" "cp\\.async\\.ca\\.shared\\.global .*, $2;" 'cp\.async\.wait_group' ;;
    *) ! grep -Eq 'cp\.async|L1::|L2::' "$1" ;;
    esac
}

# smem/smem.cu as PTX: accesses to another block's memory stand there if the constants name a cluster, each of the kernel's WIDTH.
check_cluster() {
    case $1 in
    *CLUSTER=16_*)
        case $2 in 16) type='v4\.u32' ;; *) type=u$((8 * $2)) ;; esac
        has "$1" '\.reqnctapercluster 16' 'mapa\.shared::cluster\.u32' 'barrier\.cluster\.arrive\.release\.aligned' \
            "ld\\.volatile\\.shared::cluster\\.$type" "st\\.volatile\\.shared::cluster\\.$type"
        ;;
    *) ! grep -q cluster "$1" ;;
    esac
}
