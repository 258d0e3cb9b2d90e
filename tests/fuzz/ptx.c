// A fuzzer of PTX files.
//   make build/tests/fuzz_ptx           the corpus once over, with any compiler: the program's arguments are files
//   make FUZZ=1 CC=clang build/tests/fuzz_ptx && build/tests/fuzz_ptx -max_total_time=120 CORPUS tests/data/ptx
#include "sim/ptx/program.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/translation.h"

static enum status translate(const char *text, struct sim_program **program, struct error *error) {
    const struct sim_code request = {
        .file_name = "fuzz.ptx", .text = text, .source_name = "fuzz.cu", .dynamic_bytes = 4096};
    return ptx_program_create(&request, program, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_translation(data, size, translate);
    return 0;
}
