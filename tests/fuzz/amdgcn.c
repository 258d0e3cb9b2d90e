// A fuzzer of files of AMDGPU assembly, for a GPU with waves of 64 lanes or, if the file is for gfx10 or later, of 32.
//   make build/tests/fuzz_amdgcn           the corpus once over, with any compiler: the program's arguments are files
//   make FUZZ=1 CC=clang build/tests/fuzz_amdgcn && build/tests/fuzz_amdgcn -max_total_time=120 CORPUS
//   tests/data/amdgcn
#include <string.h>

#include "sim/amdgcn/program.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/translation.h"

static enum status translate(const char *text, struct sim_program **program, struct error *error) {
    const bool narrow = strstr(text, "gfx1") != NULL;
    const struct sim_code request = {.file_name = "fuzz.s",
                                     .text = text,
                                     .source_name = "sums.hip",
                                     .arch = narrow ? "gfx1100" : "gfx90a",
                                     .lanes = narrow ? 32 : 64,
                                     .dynamic_bytes = 4096};
    return gcn_program_create(&request, program, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_translation(data, size, translate);
    return 0;
}
