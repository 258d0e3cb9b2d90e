// Patterns of gathers and scatters from files.
#ifndef GMEM_GMEM_PATTERN_H
#define GMEM_GMEM_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/addresses.h"
#include "gmem/gmem_index.h"
#include "util/error.h"

enum {
    GMEM_PATTERN_NAME = 64
};

enum gmem_pattern_kernel {
    GMEM_PATTERN_GATHER,
    GMEM_PATTERN_SCATTER,
    GMEM_PATTERN_GATHER_SCATTER,
    GMEM_PATTERN_KERNELS
};

struct gmem_pattern {
    char name[GMEM_PATTERN_NAME]; // its name in the file, otherwise its number, from 1
    enum gmem_pattern_kernel kernel;
    // The kernel's one index, or for GATHER_SCATTER that of the gathered and that of the scattered elements, which are
    // equally long. Owned. There are fewer than 2^32 elements.
    struct gmem_index index[2];
};

struct gmem_patterns {
    struct gmem_pattern *patterns;
    size_t count;
    bool from_addresses; // their elements are as many as asked for, not as the file says
};

void gmem_patterns_clear(struct gmem_patterns *patterns);

// Reads all patterns of a text, which is Spatter's list of configurations in JSON if it begins like JSON. Addresses
// make one gather, repeated until it has at least that many elements, each of width_bytes. Returns STATUS_USAGE if the
// text is wrong, and for JSON if the program was built without a parser.
enum status gmem_patterns_parse(const struct address_text *text, uint32_t width_bytes, uint64_t elements,
                                struct gmem_patterns *patterns, struct error *error);

#endif
