// What the fuzzers of PTX and of AMDGPU assembly share.
#ifndef TESTS_FUZZ_TRANSLATION_H
#define TESTS_FUZZ_TRANSLATION_H

#include <stddef.h>
#include <stdint.h>

#include "sim/program.h"
#include "util/error.h"

typedef enum status translator(const char *text, struct sim_program **program, struct error *error);

// Whatever the bytes are, they must be refused with one line, of status 2 where they are no such file and 1 where they
// hold what is not supported, or become C. Aborts if not.
void fuzz_translation(const uint8_t *data, size_t size, translator *translate);

#endif
