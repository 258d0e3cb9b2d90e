// The program's outputs: CSV rows, pictures in the terminal, and pictures in a file.
#ifndef TOOLS_LANES_OUTPUT_H
#define TOOLS_LANES_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/request.h"
#include "tools/lanes/grid.h"

// ---- Patterns ----

// Addresses from a formula, for the first warp of a block that accesses a strided vector or a tile.

// Thread (x, y) of the block touches element (y * pitch + x) * stride + offset of a row-major tile, or
// (x * pitch + y) * stride + offset where the tile is walked by column. In a swizzled tile each column number is xor-ed
// with its row number, which must stay below the pitch.
struct pattern {
    uint64_t stride, offset; // elements
    uint32_t block_x, block_y;
    uint64_t pitch; // elements from one row to the next
    bool by_column;
    bool swizzled; // the pitch is then a power of two
};

// Sets active and address; the caller sets operation and width_bytes. Lanes beyond the block are inactive.
void pattern_request(const struct pattern *pattern, uint32_t warp_width, struct request *request);

// ---- A request's cost as a row of CSV ----

void csv_header(FILE *file);

// Leaves the fields of the other memory space empty.
void csv_row(FILE *file, const struct gpu *gpu, const struct request *request, const struct cost *cost,
             const struct pattern *pattern);

// ---- Pictures ----

enum {
    PANELS_MAX = 2
};

// One GPU's picture of a request. Two panels are shown side by side.
struct panel {
    const struct gpu *gpu;
    struct request request;
    struct cost cost;
};

// Writes a panel's cost in two lines, and the certainty of its rule, with at most 39 characters each.
enum {
    SUMMARY_LINES = 3,
    SUMMARY_WIDTH = 80
};
void panel_summary(const struct panel *panel, char lines[SUMMARY_LINES][SUMMARY_WIDTH]);

#endif
