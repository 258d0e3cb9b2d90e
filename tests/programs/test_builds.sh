#!/bin/sh
# Everything is built without a warning by clang, without any optional header, and for arm64: by little optimization, for
# nobody runs it. gcc's own warnings, unlike clang's, need some.
cd "$(dirname "$0")/../.." || exit 1
. tests/programs/lib.sh

# build NAME ARGUMENT...
build() {
    folder=$BUILD/$1
    shift
    check "build ${folder##*/}" make WERROR=-Werror BUILD="$folder" PLUGINS= "$@"
}

if clang -fopenmp -E -include omp.h -x c /dev/null >"$work/null" 2>&1; then
    build clang CC=clang CFLAGS=-O0 all unit-tests
else
    skip "build clang" "clang has no OpenMP here: install libomp-dev"
fi
build without-gpu-headers HAVE_SIM= CUDA_INCLUDE= HIP_INCLUDE= CFLAGS=-O1 all
if command -v aarch64-linux-gnu-gcc >"$work/null"; then
    build arm64 CC=aarch64-linux-gnu-gcc CUDA_INCLUDE= HIP_INCLUDE= CFLAGS=-O1 all
else
    skip "build arm64" "aarch64-linux-gnu-gcc is not here"
fi
finish
