// The interface between a fuzzer of files and the program around it, which is libFuzzer's or mutate.c.
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

// Reads any bytes, and aborts if they are neither read correctly nor refused with a message.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
