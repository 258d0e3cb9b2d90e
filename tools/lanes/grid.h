// A request as the cells of a picture: the lanes that each cell serves, and the cells that have a cost.
// Shared memory: a row is a pass, and a column is a bank. Global memory: a row is 128 bytes, and a column is 4 of them.
#ifndef TOOLS_LANES_GRID_H
#define TOOLS_LANES_GRID_H

#include <stdbool.h>

#include "tools/lanes/cost.h"

enum {
    GRID_ROWS_MAX = 72, // 64 lanes in one pass each, and idle groups
    GRID_COLUMNS_MAX = 64
};

struct grid_row {
    char label[16];                   // the group's letter and the pass, or the first byte
    uint64_t lanes[GRID_COLUMNS_MAX]; // bit l: lane l is served here
    bool extra;                       // a pass that a conflict adds
    uint64_t paid;                    // bit c: column c is moved or occupied, even if it serves no lane
};

struct grid {
    const char *row_title, *column_title;
    uint32_t column_unit; // bytes or banks of a column, for its number
    uint32_t row_count, column_count;
    struct grid_row rows[GRID_ROWS_MAX];
};

void grid_make(struct grid *grid, const struct gpu *gpu, enum space space, const struct request *request);

#endif
