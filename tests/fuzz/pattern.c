// A fuzzer of pattern files. Any bytes must be refused with one line or yield patterns that can be measured: with
// indices, the stated number of elements, and none of them out of range.
//   make build/tests/fuzz_pattern           the corpus once over, with any compiler: the program's arguments are files
//   make FUZZ=1 CC=clang build/tests/fuzz_pattern && build/tests/fuzz_pattern -max_total_time=120 CORPUS
//   tests/data/patterns
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gmem/gmem_index.h"
#include "gmem/gmem_pattern.h"
#include "tests/fuzz/mutate.h"

static void check_index(const struct gmem_index *index) {
    const uint64_t elements = index->elements;
    const uint64_t end = gmem_index_slots(index);
    if (!index->pattern || index->length == 0 || elements == 0 || elements > UINT32_MAX) {
        abort();
    }
    for (uint64_t i = 0; i < elements; i += elements / 64 + 1) {
        if (gmem_index_slot(index, i) >= end) {
            abort();
        }
    }
}

static void check(const struct gmem_patterns *patterns) {
    if (patterns->count == 0) {
        abort();
    }
    for (size_t i = 0; i < patterns->count; i++) {
        const struct gmem_pattern *pattern = &patterns->patterns[i];
        check_index(&pattern->index[0]);
        if (pattern->kernel == GMEM_PATTERN_GATHER_SCATTER) {
            check_index(&pattern->index[1]);
        }
        if (pattern->name[0] == '\0' || strpbrk(pattern->name, "\r\n")) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct address_text text = {.path = "fuzz", .bytes = malloc(size + 1), .length = size + 1};
    struct gmem_patterns patterns;
    struct error error = {0};
    if (!text.bytes) {
        abort();
    }
    memcpy(text.bytes, data, size);
    text.bytes[size] = '\n'; // as address_text_read leaves it
    if (gmem_patterns_parse(&text, 8, 1000, &patterns, &error) == STATUS_OK) {
        check(&patterns);
        gmem_patterns_clear(&patterns);
    } else if (error.text[0] == '\0' || strchr(error.text, '\n')) {
        abort(); // one line must say what is wrong
    }
    error_clear(&error);
    free(text.bytes);
    return 0;
}
