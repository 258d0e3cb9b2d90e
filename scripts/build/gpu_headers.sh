#!/bin/sh
# Prints the folders of a vendor's headers that the compiler needs:
#   sh scripts/build/gpu_headers.sh cuda      the folders of cuda.h and nvrtc.h, one per line
#   sh scripts/build/gpu_headers.sh hip       the folder of hip/hip_runtime_api.h
# Prints nothing if there are none. It looks where device/gpu/library.c looks for libraries when a program runs: below the
# folders that the environment names, next to the loader's libraries, in the usual folders, and in PyPI's wheels.
set -u

# put FOLDERS: prints folders that are joined by a colon. Make's lists are separated by spaces, so a folder with a space in its
# name cannot be used.
put() {
    case $1 in
    *[[:space:]]*) ;;
    *) echo "$1" ;;
    esac
}

# each_of LIST: the parts of a list with colons, one per line.
each_of() {
    printf '%s\n' "$1" | tr : '\n' | grep .
}

# The prefixes of the folders on the PATH.
prefixes() {
    each_of "${PATH:-}" | sed -n 's|/bin/*$||p'
}

# toolkits COMPILER VALUE...: the values that are not empty, then the prefixes of the loader's folders and of the compilers found.
toolkits() {
    compiler=$1
    shift
    for root; do
        [ -z "$root" ] || echo "$root"
    done
    each_of "${LD_LIBRARY_PATH:-}" | sed -n 's|/targets/[^/]*/lib/*$||p; t
        s|/lib64/*$||p; t
        s|/lib/*$||p'
    prefixes | while IFS= read -r root; do
        [ ! -x "$root/bin/$compiler" ] || echo "$root"
    done
}

# The folders of Python's packages.
sites() {
    each_of "${PYTHONPATH:-}"
    {
        printf '%s\n' "${VIRTUAL_ENV:-}" "${CONDA_PREFIX:-}" "${HOME:+$HOME/.local}"
        prefixes
        printf '%s\n' /usr/local /usr
    } | grep . | while IFS= read -r root; do
        printf '%s\n' "$root"/lib/python3*/site-packages "$root"/lib/python3*/dist-packages
    done
    printf '%s\n' /usr/lib/python3/dist-packages build/wheels
}

cuda() {
    {
        each_of "${CPATH:-}:${C_INCLUDE_PATH:-}"
        {
            toolkits nvcc "${CUDA_HOME:-}" "${CUDA_PATH:-}" "${CUDA_ROOT:-}" "${CUDATOOLKIT_HOME:-}" "${EBROOTCUDA:-}" \
                "${NVHPC_ROOT:+$NVHPC_ROOT/cuda}" "${CONDA_PREFIX:-}"
            printf '%s\n' /usr/local/cuda /opt/cuda /usr /usr/local/cuda-*
        } | while IFS= read -r root; do
            printf '%s\n' "$root/include" "$root"/targets/*/include
        done
    } | while IFS= read -r folder; do
        [ ! -e "$folder/cuda.h" ] || [ ! -e "$folder/nvrtc.h" ] || put "$folder"
    done
    sites | sed 's|$|/nvidia|' | while IFS= read -r folder; do # each of CUDA 12's wheels has its own folder
        [ ! -e "$folder/cu13/include/cuda.h" ] || [ ! -e "$folder/cu13/include/nvrtc.h" ] || put "$folder/cu13/include"
        [ ! -e "$folder/cuda_runtime/include/cuda.h" ] || [ ! -e "$folder/cuda_nvrtc/include/nvrtc.h" ] ||
            put "$folder/cuda_runtime/include:$folder/cuda_nvrtc/include"
    done
}

hip() {
    {
        each_of "${CPATH:-}:${C_INCLUDE_PATH:-}"
        {
            toolkits hipcc "${ROCM_PATH:-}" "${HIP_PATH:-}" "${ROCM_HOME:-}" "${EBROOTHIP:-}" "${CONDA_PREFIX:-}"
            printf '%s\n' /opt/rocm /usr /opt/rocm-*
        } | sed 's,$,/include,'
        sites | sed 's,$,/_rocm_sdk_core/include,'
    } | while IFS= read -r folder; do
        [ ! -e "$folder/hip/hip_runtime_api.h" ] || put "$folder"
    done
}

case ${1:-} in
cuda | hip) "$1" | head -n 1 | tr : '\n' ;;
*)
    echo "gpu_headers: one argument is needed: cuda or hip" >&2
    exit 2
    ;;
esac
