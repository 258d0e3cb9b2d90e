// A request from a formula, its cost, and its cells in a picture: the lanes that each cell serves, and the cells that
// have a cost. Shared memory: a row is a pass, and a column is a bank. Global memory: a row is 128 bytes, and a column
// is 4 of them.
#ifndef TOOLS_LANES_GRID_H
#define TOOLS_LANES_GRID_H

#include <stdbool.h>

#include "model/global_memory.h"
#include "model/gpus.h"
#include "model/request.h"
#include "model/shared_memory.h"

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

// ---- The cost of a request ----

// The cost of one request on one GPU in one memory space, as the program shows it.

enum space {
    SPACE_SHARED,
    SPACE_GLOBAL
};

struct cost {
    enum space space;
    uint32_t active_lanes;
    uint32_t unique_bytes; // distinct bytes touched
    // shared: unique bytes over the bytes that the passes could deliver; global: requested bytes over moved bytes. NaN
    // if nothing moves.
    double efficiency_pct;
    struct shared_cost shared; // zeros on global, as the next one
    uint32_t row_passes;       // as which a row of the picture counts
    const char *certainty;     // of the rule; "" on global
    struct global_cost global; // zeros on shared, as the next one
    uint32_t sector_bytes;     // of a load or a store
};

struct cost request_cost(const struct gpu *gpu, enum space space, const struct request *request);

const char *space_name(enum space space);
const char *operation_name(enum operation operation);

// "load", "store" or "atomic".
const char *request_name(const struct request *request);

// ---- The grid ----

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
