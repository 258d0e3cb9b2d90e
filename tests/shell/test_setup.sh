#!/bin/sh
# scripts/setup.sh on machines that lack something: what it installs, what it names, and when it gives up. The package
# managers here only record what they are asked for.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

# machine TOOL...: makes the tools of a machine without gnuplot; MANAGER, if it is set, is one of them.
machine() {
    rm -rf "$work/path"
    mkdir -p "$work/path"
    for tool in sh dirname awk tr cat find grep sed head tail cksum ln mkdir mktemp env rm timeout as ld cc gcc make "$@"; do
        ln -sf "$(command -v "$tool")" "$work/path/$tool"
    done
    [ -z "${MANAGER:-}" ] || program "$MANAGER" "echo \"$MANAGER \$*\" >>'$work/asked'" "echo words of $MANAGER" "${ANSWER:-:}"
    : >"$work/asked"
}

# program NAME LINE...: a script of the machine.
program() {
    file=$work/path/$1
    shift
    printf '%s\n' '#!/bin/sh' "$@" >"$file"
    chmod +x "$file"
}

# setup USER-ID OPTION...
setup() {
    program id "echo $1"
    shift
    run env -i PATH="$work/path" BUILD="$work/build" ${CC_IS:+CC="$CC_IS"} sh scripts/setup.sh "$@"
}

# asked: how often the package manager was asked to install something.
asked() {
    wc -l <"$work/asked" | tr -d ' '
}

named() {
    grep -c "^setup: missing: gnuplot (no chart is drawn): $1.*gnuplot" "$work/err"
}

test_managers() {
    for MANAGER in apt-get dnf zypper pacman; do
        machine
        setup 0
        check "$MANAGER is asked for gnuplot" grep -q "^$MANAGER .*gnuplot" "$work/asked"
        check "$MANAGER is asked for nothing that is there" sh -c "! grep -Eq ' (make|gcc)( |$)' '$work/asked'"
        is "$MANAGER: what it could not bring is named once, and is no failure" "$status $(named "$MANAGER ")" "0 1"
        is "$MANAGER: its own words go to the log" "$(grep -c 'words of' "$work/err") $(grep -c 'words of' "$work/build/setup.log")" \
            "0 $(asked)"
        machine
        setup 1000
        is "$MANAGER is not asked without root" "$status $(asked) $(named "sudo $MANAGER ")" "0 0 1"
        setup 0 --check
        is "$MANAGER is not asked by --check" "$status $(asked) $(named "$MANAGER ")" "0 0 1"
    done
    MANAGER=''
    machine
    setup 0
    is "without a package manager gnuplot is named" "$status $(grep -c '^setup: missing: gnuplot .*: install it' "$work/err")" "0 1"
}

test_sudo() {
    MANAGER=apt-get
    machine
    program true ':'
    program sudo '[ "$1" = -n ] && shift && exec "$@"'
    setup 1000
    check "sudo is used where it asks for no password" grep -q '^apt-get install .*gnuplot' "$work/asked"
    machine
    program sudo 'echo "sudo: a password is required" >&2' 'exit 1'
    setup 1000
    is "sudo is not used where it asks for a password" "$status $(asked) $(named 'sudo apt-get ')" "0 0 1"
}

test_offline() {
    MANAGER=apt-get ANSWER="echo \"Temporary failure resolving 'deb.debian.org'\"; exit 100"
    machine
    setup 0 --tests
    is "without a network it ends well" "$status" 0
    is "without a network it gives up after one update and one try" "$(asked)" 2
    is "without a network it says so once" "$(grep -c 'there is no network' "$work/err")" 1
    check "without a network each missing part is named" grep -q '^setup: missing: gnuplot ' "$work/err"
    check "what would come from PyPI is named with its command" \
        grep -q "^setup: missing: Python's packages .*: python3 -m pip install .* 'numpy' 'scipy' 'pandas'" "$work/err"
    is "none is named twice" "$(sed -n 's/^setup: missing: \([^(]*\)(.*/\1/p' "$work/err" | sort | uniq -d)" ""

    ANSWER='case $* in *rsvg*) echo "E: Unable to locate package librsvg2-bin"; exit 100 ;; esac'
    machine
    setup 0 --tests
    check "a package that is not to be had does not take the others with it" grep -q '^apt-get install [^ ]* [^ ]* .*gnuplot-nox$' "$work/asked"
    check "why it is not to be had is shown from the log" grep -q '^    E: Unable to locate package' "$work/err"
    ANSWER=''
}

test_compilers() {
    MANAGER=apt-get
    machine
    rm "$work/path/cc" "$work/path/gcc"
    setup 1000
    is "without a compiler nothing can be done" "$status" 1
    check "a missing compiler is named" grep -q '^setup: missing: a C compiler .*: sudo apt-get install .* gcc libc6-dev' "$work/err"
    CC_IS=clang
    setup 1000
    check "the compiler that CC asks for is named" grep -q '^setup: missing: a C compiler .*: sudo apt-get install .* clang libc6-dev' "$work/err"
    if command -v clang >"$work/null"; then
        for CC_IS in clang ''; do
            machine clang
            rm "$work/path/cc" "$work/path/gcc"
            setup 1000
            is "clang alone is a compiler, CC='$CC_IS'" "$status $(grep -c 'compiler' "$work/err")" "0 0"
        done
    else
        skip "clang alone is a compiler" "clang is not here"
    fi
    CC_IS=''
}

# headers KIND NAME=VALUE...: where gpu_headers.sh finds the headers, without the test's folder.
headers() {
    kind=$1
    shift
    env -i PATH="$PATH" "$@" sh scripts/build/gpu_headers.sh "$kind" | sed "s|^$work/||" | tr '\n' ' '
}

test_headers() {
    t=$work/toolkit
    mkdir -p "$t/include" "$work/hpc/cuda/include" "$work/conda/targets/x/include" "$t/lib64" \
        "$work/site/nvidia/cuda_runtime/include" "$work/site/nvidia/cuda_nvrtc/include" "$work/rocm/include/hip"
    for folder in "$t/include" "$work/hpc/cuda/include" "$work/conda/targets/x/include"; do
        touch "$folder/cuda.h" "$folder/nvrtc.h"
    done
    touch "$work/site/nvidia/cuda_runtime/include/cuda.h" "$work/site/nvidia/cuda_nvrtc/include/nvrtc.h" \
        "$work/rocm/include/hip/hip_runtime_api.h"
    for variable in CUDA_HOME CUDA_PATH CUDA_ROOT CUDATOOLKIT_HOME EBROOTCUDA; do
        is "CUDA's headers by $variable" "$(headers cuda "$variable=$t")" "toolkit/include "
    done
    is "CUDA's headers by NVHPC_ROOT" "$(headers cuda NVHPC_ROOT="$work/hpc")" "hpc/cuda/include "
    is "CUDA's headers by CONDA_PREFIX" "$(headers cuda CONDA_PREFIX="$work/conda")" "conda/targets/x/include "
    is "CUDA's headers by LD_LIBRARY_PATH" "$(headers cuda LD_LIBRARY_PATH="/none:$t/lib64/")" "toolkit/include "
    is "CUDA's headers by CPATH" "$(headers cuda CPATH="$t/include")" "toolkit/include "
    is "CUDA's headers among the wheels" "$(headers cuda PATH=/usr/bin:/bin PYTHONPATH="/none:$work/site" | sed 's|^/usr.*||')" \
        "$([ -e /usr/local/cuda/include/nvrtc.h ] || echo "site/nvidia/cuda_runtime/include site/nvidia/cuda_nvrtc/include ")"
    is "HIP's headers by ROCM_PATH" "$(headers hip ROCM_PATH="$work/rocm")" "rocm/include "
}

refuses "unknown option" 2 sh scripts/setup.sh --nonsense
test_managers
test_sudo
test_offline
test_compilers
test_headers
finish
