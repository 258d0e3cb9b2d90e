#!/bin/sh
# Says where a vendor's headers are, as far as the compiler needs to be told:
#   sh scripts/gpu_headers.sh cuda      the folders of cuda.h and nvrtc.h, a line each
#   sh scripts/gpu_headers.sh hip       that of hip/hip_runtime_api.h
# Nothing where there are none. It looks where device/gpu/library.c looks for libraries when a program runs: below the
# folders that the environment names, beside the loader's libraries, in the usual folders, and among PyPI's wheels.
set -u

# put FOLDERS: joined by a colon. In make's lists a space separates, so a folder with one in its name cannot be used.
put() {
    case $1 in
    *[[:space:]]*) ;;
    *) echo "$1" ;;
    esac
}

# each_of LIST: the parts of a list with colons, a line each.
each_of() {
    printf '%s\n' "$1" | tr : '\n' | grep .
}

# prefixes: of the programs on the PATH.
prefixes() {
    each_of "${PATH:-}" | sed -n 's|/bin/*$||p'
}

# toolkits COMPILER VALUE...: the values that are not empty, then the prefixes of the libraries and compilers that are found.
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
    sites | sed 's|$|/nvidia|' | while IFS= read -r folder; do # CUDA 12's wheels have a folder each
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
