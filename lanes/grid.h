// A request as a picture's cells: which lanes a cell serves, and what is paid for.
// Shared memory: a row is a pass, a column a bank. Global memory: a row is 128 bytes, a column 4 of them.
#ifndef LANES_GRID_H
#define LANES_GRID_H

#include <stdbool.h>

#include "lanes/cost.h"

enum {
    GRID_ROWS_MAX = 72, // 64 lanes in passes of their own, and idle groups
    GRID_COLUMNS_MAX = 64
};

struct grid_row {
    char label[16];                   // the pass, with its group's letter; or the first byte
    uint64_t lanes[GRID_COLUMNS_MAX]; // bit l: lane l is served here
    bool extra;                       // a pass that a conflict costs
    uint64_t paid;                    // bit c: column c costs whether it serves a lane or not
};

struct grid {
    const char *row_title, *column_title;
    uint32_t column_unit; // what a column's number is multiplied by
    uint32_t row_count, column_count;
    struct grid_row rows[GRID_ROWS_MAX];
};

void grid_make(struct grid *grid, const struct gpu *gpu, enum space space, const struct request *request);

#endif
