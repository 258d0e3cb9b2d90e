// A fuzzer of kernels' sources. Whatever the text is, it must be refused with one line, or become the text that the
// host's compiler gets, of CUDA C++ as of the C dialect.
//   make build/tests/fuzz_cxx           the corpus once over, with any compiler: the program's arguments are files
//   make FUZZ=1 CC=clang build/tests/fuzz_cxx && build/tests/fuzz_cxx -max_total_time=120 CORPUS lanes/examples
#include "tests/fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

#include "device/sim/compile/cxx/select.h"
#include "device/sim/compile/text.h"

static const char file_name[] = "/none/fuzz.cu"; // no file that it includes lies beside it

static void compile(const char *text, const char *entry, enum cxx_target target) {
    struct cxx_selection selection;
    struct error error = {0};
    const enum status status = cxx_select(file_name, text, entry, target, &selection, &error);
    if (status == STATUS_OK) {
        char *source = sim_cxx_source_text(file_name, selection.text, selection.entry, 4096, true);
        if (!source) {
            abort();
        }
        free(source);
        free(selection.text);
        free(selection.entry);
    } else if (error.text[0] == '\0' || strchr(error.text, '\n')) {
        abort(); // one line says what is wrong
    }
    error_clear(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    compile(text, NULL, CXX_FOR_HOST);
    compile(text, "space::gemm<float, 32>", CXX_FOR_NVRTC);
    char *source = sim_source_text(file_name, text, 4096, true);
    if (!source) {
        abort();
    }
    free(source);
    free(text);
    return 0;
}
