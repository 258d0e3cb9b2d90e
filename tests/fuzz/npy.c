// A fuzzer of .npy files. Any bytes must be refused with one line or yield an array that lies wholly in the file.
//   make build/tests/fuzz_npy           the corpus once over, with any compiler: the program's arguments are files
//   make FUZZ=1 CC=clang build/tests/fuzz_npy && build/tests/fuzz_npy -max_total_time=120 CORPUS tests/data/npy
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/mutate.h"
#include "tools/lanes/input/npy.h"

static void check(const struct npy *npy, size_t size) {
    const uint64_t elements = shape_elements(&npy->shape), extent = shape_extent(&npy->shape);
    char header[NPY_HEADER_MAX];
    if (elements == 0 || extent != elements || npy->data > size || extent > (size - npy->data) / npy->type->bytes) {
        abort();
    }
    for (uint64_t i = 0; i < elements; i += elements / 64 + 1) {
        if (shape_place(&npy->shape, i) >= extent) {
            abort();
        }
    }
    if (npy_header(header, npy->type, &npy->shape) % 64) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct npy npy;
    struct error error = {0};
    if (npy_parse("fuzz", data, size, &npy, &error) == STATUS_OK) {
        check(&npy, size);
    } else if (error.text[0] == '\0' || strchr(error.text, '\n')) {
        abort(); // one line must say what is wrong
    }
    error_clear(&error);
    return 0;
}
