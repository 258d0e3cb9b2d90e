// Patterns of gathers and scatters, as files hold them.
#ifndef GMEM_GMEM_PATTERN_H
#define GMEM_GMEM_PATTERN_H

#include <stddef.h>
#include <stdint.h>

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

// Where elements lie: the i-th at indices[i % length] + delta * (i / length).
struct gmem_places {
    uint32_t *indices; // owned; NULL: the kernel has no such side
    uint64_t length, delta;
};

// Of each pair of places one is used, but by GATHER_SCATTER, whose lengths are equal.
struct gmem_pattern {
    char name[GMEM_PATTERN_NAME]; // as the file says it, else its number, from 1
    enum gmem_pattern_kernel kernel;
    struct gmem_places gather, scatter;
    uint64_t count; // how often the pattern repeats
};

struct gmem_patterns {
    struct gmem_pattern *patterns;
    size_t count;
};

// The number of elements, below 2^32.
uint64_t gmem_pattern_elements(const struct gmem_pattern *pattern);

void gmem_patterns_clear(struct gmem_patterns *patterns);

// Room for one more, zeroed; NULL where there is no memory.
struct gmem_pattern *gmem_patterns_add(struct gmem_patterns *patterns);

// Refuses a pattern whose elements are none or too many.
enum status gmem_pattern_check(const struct gmem_pattern *pattern, const char *path, struct error *error);

#endif
