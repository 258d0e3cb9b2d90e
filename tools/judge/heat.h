// How far each GPU of a fleet is from its median, for each variant of a probe: the row of it that is farthest.
#ifndef TOOLS_JUDGE_HEAT_H
#define TOOLS_JUDGE_HEAT_H

#include <stddef.h>
#include <stdint.h>

#include "tools/judge/store.h"

enum {
    HEAT_COLUMNS_MAX = 64 // variants; more are left out and counted
};

struct heat_cell {
    const char *name; // of the row; NULL: the GPU has none
    double cost, median;
    enum figure figure;
};

struct heat {
    char *columns[HEAT_COLUMNS_MAX]; // "gmem copy"
    size_t column_count, left_out;
    struct heat_cell *cells; // HEAT_COLUMNS_MAX of each GPU
    size_t gpu_count;
};

struct heat heat_make(size_t gpu_count);
void heat_clear(struct heat *heat);

// Keeps the row if it is farther from the median than what the GPU's cell has.
void heat_add(struct heat *heat, const struct group *group, const struct record *record, double median);

#endif
