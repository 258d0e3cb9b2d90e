#include "gmem/gmem_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct gmem_side *side_of(const struct gmem_pattern *pattern) {
    return pattern->kernel == GMEM_PATTERN_SCATTER ? &pattern->scatter : &pattern->gather;
}

uint64_t gmem_pattern_elements(const struct gmem_pattern *pattern) {
    return side_of(pattern)->length * pattern->count;
}

enum status gmem_pattern_check(const struct gmem_pattern *pattern, const char *path, struct error *error) {
    const uint64_t length = side_of(pattern)->length;
    if (pattern->kernel == GMEM_PATTERN_GATHER_SCATTER && length != pattern->scatter.length) {
        return error_set(error, STATUS_USAGE,
                         "%.200s: %s: %llu indices to gather and %llu to scatter: give equal numbers", path,
                         pattern->name, (unsigned long long)length, (unsigned long long)pattern->scatter.length);
    }
    if (length == 0 || pattern->count == 0 || pattern->count > UINT32_MAX / length) {
        return error_set(error, STATUS_USAGE,
                         "%.200s: %s: %llu indices repeated %llu times: give 1 to %u elements in all", path,
                         pattern->name, (unsigned long long)length, (unsigned long long)pattern->count, UINT32_MAX);
    }
    return STATUS_OK;
}

struct gmem_pattern *gmem_patterns_add(struct gmem_patterns *patterns) {
    struct gmem_pattern *grown = realloc(patterns->patterns, (patterns->count + 1) * sizeof *grown);
    if (!grown) {
        return NULL;
    }
    patterns->patterns = grown;
    struct gmem_pattern *added = &grown[patterns->count++];
    *added = (struct gmem_pattern){0};
    snprintf(added->name, sizeof added->name, "%zu", patterns->count);
    return added;
}

void gmem_patterns_clear(struct gmem_patterns *patterns) {
    for (size_t i = 0; i < patterns->count; i++) {
        free(patterns->patterns[i].gather.indices);
        free(patterns->patterns[i].scatter.indices);
    }
    free(patterns->patterns);
    *patterns = (struct gmem_patterns){0};
}
