#!/bin/sh
# Compiled kernels that processes share (BANKSHOT_KERNEL_CACHE): when one is used again, and when it must not be.
# shellcheck disable=SC2154 # work, status: tests/shell/lib.sh
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
export BANKSHOT_SIM_THREADS=1 # each process preprocesses headers for itself, and the checks count how often that is done

built "$BUILD/lanes"
has_simulator || {
    skip "compiled kernels" "the simulator is not built here"
    finish
}
cache=$work/cache
export BANKSHOT_KERNEL_CACHE="$cache"

cat >"$work/kernel.cu" <<'END'
#include "part.h"
__global__ void scale(unsigned *words) {
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
        if (words[i] / (i + 1) > LIMIT) {
            words[i] += PART * i;
        }
    }
}
END
echo '#define PART 3' >"$work/part.h"

# A compiler that notes each kernel that it compiles.
printf '#!/bin/sh\ncase " $* " in *" -S "*) echo >>"%s/compiled" ;; *" -E "*) echo >>"%s/preprocessed" ;; esac\nexec %s "$@"\n' \
    "$work" "$work" "${CC:-cc}" >"$work/compiler"
chmod +x "$work/compiler"
real_cc=${CC:-}
export CC="$work/compiler"

# count OPTION...: what each line of the kernel does.
count() {
    timeout 60 "$BUILD/lanes" --gpu h200 --via c --kernel "$work/kernel.cu" --block 64 --arg buffer:uint:256:index --define LIMIT=1 --csv - "$@"
}

# compiles NAME TIMES OPTION...: the counts are in $work/out, after so many compilations.
compiles() {
    label=$1 expected=$2
    shift 2
    : >"$work/compiled"
    count "$@" >"$work/out" 2>"$work/err"
    is "$label: compilations" "$? $(wc -l <"$work/compiled" | tr -d ' ') $(cat "$work/err")" "0 $expected "
}

# launch NAME TIMES OPTION...: the same, and the counts must be those of the kernel without a cache.
launch() {
    compiles "$@"
    check "$1: rows" cmp "$work/out" "$work/expected"
}

newest() {
    # shellcheck disable=SC2012 # names of hexadecimal digits
    echo "$cache/$(ls -t "$cache" | head -n 1)"
}

# torn NAME COMMAND...: an entry that the command damages is compiled anew, and is whole again after that.
torn() {
    damage=$1
    shift
    "$@" "$(newest)"
    launch "$damage" 1
    launch "after $damage" 0
}

cut_short() {
    head -c "$1" "$2" >"$work/short"
    cat "$work/short" >"$2"
}

# The last bytes of the library, and nothing that the loader looks at.
change_a_byte() {
    printf X | dd of="$1" bs=1 seek=$(($(wc -c <"$1") - 1000)) conv=notrunc 2>"$work/null"
}

link_elsewhere() {
    mv "$1" "$work/elsewhere"
    ln -s "$work/elsewhere" "$1"
}

test_reuse() {
    BANKSHOT_KERNEL_CACHE='' compiles "without a cache" 1
    mv "$work/out" "$work/expected"
    launch "an empty cache" 1
    launch "a full cache" 0
    is "the folder is private" "$(find "$cache" -prune -perm 700) $(find "$cache" -type f ! -perm 600)" "$cache "
    is "one entry, and no draft" "$(find "$cache" -type f | wc -l | tr -d ' ')" 1
}

test_damage() {
    torn "an empty entry" cut_short 0
    torn "an entry cut short" cut_short 30
    torn "an entry without its end" cut_short 9999
    torn "an entry with another byte" change_a_byte
    torn "an entry that others can write" chmod g+w
    torn "a link as an entry" link_elsewhere
    # Another kernel's entry under this one's name, of the same length.
    launch "a constant" 1 --define PAD=1
    first=$(newest)
    launch "another constant" 1 --define PAD=2
    cp "$(newest)" "$first"
    launch "another kernel's entry" 1 --define PAD=1
    launch "after another kernel's entry" 0 --define PAD=1
}

# Whatever the library depends on is part of the key.
test_changes() {
    CC="$work/compiler -fomit-frame-pointer" launch "another option" 1
    touch -d '2020-01-01 00:00:00' "$work/compiler"
    launch "another time of the compiler" 1
    compiles "another GPU" 1 --gpu mi210
    echo '#define PART (1 + 2)' >"$work/part.h"
    launch "another text of a header" 1
    launch "the same header again" 0
}

# The working folder matters if the kernel's path leads through it, because messages then show the rest of the path.
test_working_folder() {
    mkdir -p "$work/beside" "$work/kern" # whose name begins the kernel's
    lanes=$(cd "$BUILD" && pwd)/lanes
    for folder in beside . beside kern; do
        : >"$work/compiled"
        (cd "$work/$folder" && BUILD=${lanes%/lanes} count) >"$work/out.$folder" 2>"$work/err"
        is "in the folder $folder: compilations" "$? $(wc -l <"$work/compiled" | tr -d ' ') $(cat "$work/err")" \
            "0 $([ "$folder" = . ] && echo 1 || echo 0) "
    done
    check "in another folder: rows" cmp "$work/out.beside" "$work/expected"
    is "in the kernel's folder: only the path differs" "$(sed 's,kernel\.cu,,' "$work/out..")" "$(sed "s,$work/kernel\.cu,," "$work/expected")"
}

# Two processes at once, several times: both are right, and whole entries are left.
test_processes() {
    for turn in 1 2 3; do
        rm -rf "$cache"
        for process in a b; do
            count >"$work/out.$process" 2>&1 &
        done
        wait
        is "two processes at once, $turn" "$(cmp "$work/out.a" "$work/expected" 2>&1) $(cmp "$work/out.b" "$work/expected" 2>&1)" " "
        is "their entries, $turn" "$(find "$cache" -type f | wc -l | tr -d ' ')" 1
        launch "after two processes, $turn" 0
    done
}

# refused NAME FOLDER WORDS: a folder that is refused.
refused() {
    BANKSHOT_KERNEL_CACHE=$2 refuses "$1" 2 "$BUILD/lanes" --gpu h200 --via c --kernel "$work/kernel.cu" --block 64 --arg buffer:uint:256
    check "$1: why" grep -q "BANKSHOT_KERNEL_CACHE: .*$3" "$work/err"
}

test_folders() {
    mkdir -m 777 "$work/public"
    refused "a folder that others can write into" "$work/public" "chmod go-w"
    refused "a file as the folder" "$work/kernel.cu" "is not a folder"
    mkdir -m 700 "$work/foreign"
    if [ "$(id -u)" -eq 0 ] && chown 65534 "$work/foreign" 2>"$work/null"; then
        refused "another user's folder" "$work/foreign" "belongs to another user"
        is "another user's folder stays empty" "$(find "$work/foreign" -type f)" ""
        launch "an entry is there" 0
        chown 65534 "$(newest)"
        launch "another user's entry" 1
    else
        skip "another user's folder" "only root can make one"
    fi
    BANKSHOT_KERNEL_CACHE=/proc/no-such-folder launch "a folder that cannot be" 1
    unwritable=/proc # root's own, where even root cannot write
    if [ "$(id -u)" -ne 0 ]; then
        unwritable=$work/unwritable
        mkdir -m 500 "$unwritable"
    fi
    BANKSHOT_KERNEL_CACHE=$unwritable launch "a folder that cannot be written" 1
}

# own NAME COMPILATIONS [VARIABLE=VALUE]: two kernels of smem, and what the compiler did for them.
own() {
    label=$1 expected=$2
    shift 2
    : >"$work/compiled"
    : >"$work/preprocessed"
    run env "$@" "$BUILD/smem" --device sim:h200 --variant load --width 4,8 --stride 1 --sim-blocks 1 --quiet --csv -
    is "$label: compilations, preprocessed texts" "$status $(wc -l <"$work/compiled" | tr -d ' ') $(wc -l <"$work/preprocessed" | tr -d ' ')" \
        "0 $expected 1"
}

# The programs' own kernels include the dialect and what it includes of the host, which is preprocessed once a run.
test_own_kernels() {
    own "own kernels" 2
    sed '/^#/d' "$work/out" >"$work/own"
    own "the same own kernels" 0
    is "the same own kernels: rows" "$(sed '/^#/d' "$work/out")" "$(cat "$work/own")"
    mkdir "$work/host"
    printf '#include_next <math.h>\n#define ANOTHER 1\n' >"$work/host/math.h"
    own "another header of the host" 2 CPATH="$work/host"
    own "the same header of the host" 0 CPATH="$work/host"
    own "another option for own kernels" 2 CC="$work/compiler -DANOTHER"
}

# by_clang NAME COMPILATIONS OPTION...: the same by the instructions of AMD's compiler.
by_clang() {
    label=$1 expected=$2
    shift 2
    : >"$work/assembled"
    run env PATH="$work/bin:$PATH" CC="${real_cc:-cc}" "$BUILD/lanes" --gpu mi210 --via amdgcn --kernel "$work/kernel.cu" --block 64 \
        --arg buffer:uint:256:index --define LIMIT=1 --csv "$work/rows.csv" "$@"
    is "$label: compilations" "$status $(wc -l <"$work/assembled" | tr -d ' ') $(cat "$work/err")" "0 $expected "
    cp "$work/rows.csv" "$work/$expected.rows" # of the last run that compiled, and of the last that did not
}

# own_by_clang NAME COMPILATIONS [VARIABLE=VALUE]: two kernels of smem by AMD's instructions. However many there are, clang is asked for its
# version and the headers, and the host's compiler for the headers of translations.
own_by_clang() {
    label=$1 expected=$2
    shift 2
    : >"$work/assembled"
    : >"$work/asked"
    : >"$work/preprocessed"
    run env PATH="$work/bin:$PATH" "$@" "$BUILD/smem" --device sim:mi210 --via amdgcn --variant load --width 4,8 --stride 1 --sim-blocks 1 \
        --quiet --csv -
    is "$label: compilations, what else clang did, texts that cc preprocessed" \
        "$status $(wc -l <"$work/assembled" | tr -d ' ') $(wc -l <"$work/asked" | tr -d ' ') $(wc -l <"$work/preprocessed" | tr -d ' ')" \
        "0 $expected 2 1"
}

# clang's assembly is kept, too.
test_clang() {
    clang=$(newest_clang)
    [ -n "$clang" ] || {
        skip "clang's assembly" "clang is not here"
        return
    }
    mkdir "$work/bin"
    printf '#!/bin/sh\ncase " $* " in *" -S "*) echo >>"%s/assembled" ;; *) echo >>"%s/asked" ;; esac\nexec %s "$@"\n' \
        "$work" "$work" "$clang" >"$work/bin/$(basename "$clang")"
    chmod +x "$work/bin/$(basename "$clang")"
    rm -rf "$cache"
    by_clang "clang" 1
    by_clang "clang again" 0
    check "clang again: rows" cmp "$work/0.rows" "$work/1.rows"
    by_clang "clang: another constant" 1 --define PAD=1
    by_clang "clang: another part" 1 --gpu mi300x
    echo '#define PART 5' >"$work/part.h"
    by_clang "clang: another text of a header" 1
    by_clang "clang: the same header again" 0
    for entry in "$cache"/*; do
        cut_short 30 "$entry"
    done
    by_clang "clang: entries cut short" 1
    own_by_clang "clang: own kernels" 2
    sed '/^#/d' "$work/out" >"$work/own"
    own_by_clang "clang: the same own kernels" 0
    is "clang: the same own kernels: rows" "$(sed '/^#/d' "$work/out")" "$(cat "$work/own")"
    mkdir "$work/integers"
    printf '#include_next <stdint.h>\n#define ANOTHER 1\n' >"$work/integers/stdint.h"
    own_by_clang "clang: another header of the host" 2 CPATH="$work/integers"
    own_by_clang "clang: the same header of the host" 0 CPATH="$work/integers"
}

# by_nvrtc NAME ENTRIES OPTION...: what is kept of a kernel of smem and its PTX.
by_nvrtc() {
    label=$1 expected=$2
    shift 2
    run env CC="${real_cc:-cc}" "$BUILD/smem" --device sim:h200 --via ptx --variant load --width 4 --stride 1 --sim-blocks 1 --quiet --csv - "$@"
    is "$label: entries" "$status $(find "$cache" -type f | wc -l | tr -d ' ')" "0 $expected"
}

# Of PTX that NVRTC makes of the programs' own kernels, the text is kept and the library that it becomes.
test_nvrtc() {
    rm -rf "$cache"
    run "$BUILD/smem" --device sim:h200 --via ptx --variant load --width 4 --stride 1 --sim-blocks 1 --quiet
    [ "$status" = 0 ] || {
        skip "NVRTC's PTX" "NVRTC is not here"
        return
    }
    rm -rf "$cache"
    by_nvrtc "NVRTC" 2
    sed '/^#/d' "$work/out" >"$work/own"
    by_nvrtc "NVRTC again" 2
    is "NVRTC again: rows" "$(sed '/^#/d' "$work/out")" "$(cat "$work/own")"
    by_nvrtc "NVRTC: another constant" 4 --width 8
    by_nvrtc "NVRTC: another part" 6 --device sim:a100
    for entry in "$cache"/*; do
        cut_short 30 "$entry"
    done
    by_nvrtc "NVRTC: entries cut short" 6
    is "NVRTC: entries cut short: rows" "$(sed '/^#/d' "$work/out")" "$(cat "$work/own")"
}

test_reuse
test_damage
test_changes
test_working_folder
test_processes
test_folders
test_own_kernels
test_clang
test_nvrtc
finish
