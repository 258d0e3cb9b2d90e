#!/bin/sh
# Installs what bankshot needs and this machine lacks, with apt, dnf, zypper or pacman.
#   sh scripts/setup.sh            what building and running need
#   sh scripts/setup.sh --tests    what the tests need, too
# Where all is there nothing is touched. Without root it names the packages and the command, and stops with status 1.
set -u
cd "$(dirname "$0")/.." || exit 1

# Who needs it (run, tests; maybe: tests that are skipped without it), how to tell that it is there, and its packages;
# a dash where the package manager has none, a comma between several.
needs() {
    cat <<'END'
#who    check                    apt                   dnf                zypper              pacman
run     program:cc               gcc                   gcc                gcc                 gcc
run     header:stdio.h           libc6-dev             glibc-devel        glibc-devel         glibc
run     program:make             make                  make               make                make
run     header:elfutils/libdwfl.h  libdw-dev           elfutils-devel     libdw-devel         libelf
run     header:ffi.h             libffi-dev            libffi-devel       libffi-devel        libffi
run     program:gnuplot          gnuplot-nox           gnuplot            gnuplot             gnuplot
run     program:awk              mawk                  gawk               gawk                gawk
tests   header:cmocka.h          libcmocka-dev         libcmocka-devel    libcmocka-devel     cmocka
tests   links:cc:-lasan          gcc                   libasan            gcc                 gcc-libs
tests   links:cc:-lubsan         gcc                   libubsan           gcc                 gcc-libs
tests   program:shellcheck       shellcheck            ShellCheck         ShellCheck          shellcheck
tests   program:clang            clang                 clang              clang               clang
tests   program:clang-format     clang-format          clang-tools-extra  clang-tools         clang
tests   program:python3          python3               python3            python3             python
maybe   program:mpicc            libopenmpi-dev,openmpi-bin  openmpi-devel  openmpi4-devel     openmpi
maybe   links:clang:-fopenmp     libomp-dev            libomp-devel       libomp-devel        openmp
maybe   program:hipcc            hipcc                 hipcc              hipcc               hip-runtime-amd
maybe   header:hip/hip_runtime_api.h  libamdhip64-dev  rocm-hip-devel     hip-devel           hip-runtime-amd
maybe   file:libhiprtc-builtins.so  libhiprtc-builtins5  rocm-hip-devel   hip-devel           hip-runtime-amd
maybe   file:ockl.bc             rocm-device-libs      rocm-device-libs   rocm-device-libs    rocm-device-libs
maybe   program:clang-19         clang-19              -                  clang19             -
maybe   program:aarch64-linux-gnu-gcc  gcc-aarch64-linux-gnu,libc6-dev-arm64-cross  -  -  aarch64-linux-gnu-gcc
maybe   program:qemu-aarch64     qemu-user             qemu-user          qemu-linux-user     qemu-user
maybe   program:rsvg-convert     librsvg2-bin          librsvg2-tools     rsvg-convert        librsvg
maybe   program:xmllint          libxml2-utils         libxml2            libxml2-tools       libxml2
maybe   program:man              man-db                man-db             man                 man-db
maybe   program:groff            groff-base            groff-base         groff               groff
maybe   program:llvm-objdump     llvm                  llvm               llvm                llvm
END
}

# is_there CHECK: a program on the PATH, a header that the compiler finds, a compiler that can link with a flag, a file
# of ROCm's.
is_there() {
    what=${1#*:}
    case $1 in
    program:*) command -v "$what" ;;
    header:*) echo "#include <$what>" | ${CC:-cc} -I/opt/rocm/include -D__HIP_PLATFORM_AMD__ -E -x c - ;;
    links:*) echo 'int main(void) { return 0; }' | "${what%:*}" -x c - "${what#*:}" -o /dev/null ;;
    file:*) find -L /opt/rocm/lib /opt/rocm/amdgcn /usr/lib /usr/lib64 -maxdepth 5 -name "$what*" -print -quit | grep . ;;
    esac >/dev/null 2>&1
}

# missing WHO...: the packages that would bring what is not there.
missing() {
    needs | while read -r who check apt dnf zypper pacman; do
        case " $* " in *" $who "*) ;; *) continue ;; esac
        is_there "$check" && continue
        case $manager in
        apt-get) packages=$apt ;;
        dnf) packages=$dnf ;;
        zypper) packages=$zypper ;;
        pacman) packages=$pacman ;;
        *) packages=${check#*:} ;;
        esac
        [ "$packages" = - ] || echo "$packages" | tr , '\n'
    done | awk '!seen[$0]++'
}

install_command() {
    case $manager in
    apt-get) echo "apt-get install -y --no-install-recommends" ;;
    dnf) echo "dnf install -y --setopt=install_weak_deps=False" ;;
    zypper) echo "zypper --non-interactive install --no-recommends" ;;
    pacman) echo "pacman -Sy --needed --noconfirm" ;;
    esac
}

# Once, and only where something is missing.
refresh() {
    [ -z "${refreshed:-}" ] || return 0
    refreshed=yes
    [ "$manager" != apt-get ] || apt-get update -q </dev/null || say "apt-get update failed: going on with the lists that are there"
}

install_packages() {
    refresh
    # shellcheck disable=SC2046 # a command and its options
    DEBIAN_FRONTEND=noninteractive $(install_command) "$@" </dev/null
}

say() {
    echo "setup: $*" >&2
}

find_manager() {
    for manager in apt-get dnf zypper pacman; do
        command -v "$manager" >/dev/null 2>&1 && return
    done
    manager=none
}

# What must be there: installed at once, and looked for again.
install_required() {
    packages=$(missing "$@" | tr '\n' ' ')
    [ -n "$packages" ] || return 0
    if [ "$manager" = none ]; then
        say "missing: $packages: install them; apt, dnf, zypper and pacman are not here"
        return 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        say "missing: $packages: as root run: $(install_command) $packages"
        return 1
    fi
    say "installing $packages"
    # shellcheck disable=SC2086 # a list of packages
    install_packages $packages >&2 || { say "could not install $packages: see above"; return 1; }
    packages=$(missing "$@" | tr '\n' ' ')
    [ -z "$packages" ] || say "installed, but still not found: $packages"
}

# What some tests use: each tried by itself, for one that is not to be had must not take the others with it.
install_optional() {
    for package in $(missing maybe); do
        if [ "$manager" = none ] || [ "$(id -u)" -ne 0 ]; then
            say "skipped $package (optional, for tests): installing needs root"
        elif install_packages "$package" >/dev/null 2>&1; then
            say "installed $package (optional, for tests)"
        else
            say "skipped $package (optional, for tests): $manager can not install it here"
        fi
    done
    install_cuda_wheels
}

# CUDA's run-time compiler, headers and disassembler, as far as no toolkit has them: from PyPI, as files under build/wheels.
install_cuda_wheels() {
    wheels=build/wheels
    set -- 'nvidia-cuda-nvdisasm>=13,<14'
    for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /opt/cuda /usr $wheels/nvidia/cu13; do
        [ ! -x "$folder/bin/nvdisasm" ] || shift $#
    done
    for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /opt/cuda /usr $wheels/nvidia/cu13; do
        [ ! -e "$folder/include/nvrtc.h" ] || { install_wheels "$@"; return 0; }
    done
    install_wheels "$@" 'nvidia-cuda-nvrtc>=13,<14' 'nvidia-cuda-runtime>=13,<14'
}

install_wheels() {
    [ $# -gt 0 ] || return 0
    python3 -m pip --version >/dev/null 2>&1 || { [ "$(id -u)" -eq 0 ] && [ "$manager" = apt-get ] && install_packages python3-pip; } >/dev/null 2>&1
    if timeout 180 python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --target $wheels \
        "$@" >/dev/null 2>&1; then
        say "installed in $wheels (optional, for tests): $*"
    else
        say "skipped (optional, for tests), PyPI could not be reached: $*"
    fi
}

find_manager
case $# in
0) install_required run ;;
*)
    [ "$*" = --tests ] || { say "unknown option $*: there is only --tests"; exit 2; }
    install_required run tests && install_optional
    ;;
esac
