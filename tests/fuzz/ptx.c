// A fuzzer of PTX files. Whatever the bytes are, they must be refused with one line, of status 2 where they are no PTX
// and 1 where they hold what is not supported, or become C.
//   make build/tests/fuzz_ptx           the corpus once over, with any compiler: the program's arguments are files
//   make FUZZ=1 CC=clang build/tests/fuzz_ptx && build/tests/fuzz_ptx -max_total_time=120 CORPUS tests/ptx
#include "tests/fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

#include "device/sim/ptx/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    struct ptx_program *program;
    struct error error = {0};
    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    const struct ptx_request request = {
        .file_name = "fuzz.ptx", .text = text, .source_name = "fuzz.cu", .dynamic_bytes = 4096};
    const enum status status = ptx_program_create(&request, &program, &error);
    if (status == STATUS_OK) {
        const char *file;
        uint32_t line;
        if (!program->c || !*program->entry) {
            abort();
        }
        for (uint32_t i = 0; i < program->site_count; i++) {
            ptx_program_line(program, i, &file, &line);
        }
        ptx_program_destroy(program);
    } else if (error.text[0] == '\0' || strchr(error.text, '\n') || status == STATUS_NO_DEVICE) {
        abort(); // one line says what is wrong
    }
    error_clear(&error);
    free(text);
    return 0;
}
