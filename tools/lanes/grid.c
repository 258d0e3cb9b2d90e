#include "tools/lanes/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/distinct.h"

// ---- Patterns ----

void pattern_request(const struct pattern *pattern, uint32_t warp_width, struct request *request) {
    request->active = 0;
    for (uint32_t lane = 0; lane < warp_width && lane < pattern->block_x * pattern->block_y; lane++) {
        uint64_t x = lane % pattern->block_x, y = lane / pattern->block_x;
        uint64_t row = pattern->by_column ? x : y, column = pattern->by_column ? y : x;
        uint64_t place = pattern->swizzled ? column ^ (row % pattern->pitch) : column;
        uint64_t element = row * pattern->pitch + place;
        request->active |= UINT64_C(1) << lane;
        request->address[lane] = (element * pattern->stride + pattern->offset) * request->width_bytes;
    }
}

// ---- The grid ----

enum {
    GLOBAL_ROW_BYTES = 128,
    GLOBAL_CELL_BYTES = 4
};

// Adds the rows of one group. The words of a bank are in the order in which the lanes request them.
static void add_group(struct grid *grid, const struct gpu *gpu, const struct request *request, uint32_t group) {
    struct distinct words; // bucket: bank; index in the bucket: pass
    distinct_begin(&words);
    struct grid_row *rows = &grid->rows[grid->row_count];
    uint32_t passes = 0;
    const uint64_t lanes = request->active & shared_memory_group_lanes(gpu, request, group);
    for (uint64_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left);
        for (uint64_t done = 0; done < request->width_bytes;) {
            uint64_t address = request->address[lane] + done;
            struct shared_location location = shared_memory_location(gpu, request, address);
            bool added;
            uint32_t pass = words.rank[distinct_add(&words, location.bank, location.row, &added)];
            if (pass == passes) { // a bank's passes are numbered without a gap
                rows[passes++] = (struct grid_row){0};
            }
            rows[pass].lanes[location.bank] |= UINT64_C(1) << lane;
            done += location.bank_bytes - address % location.bank_bytes;
        }
    }
    if (passes == 0 && gpu->vendor == VENDOR_AMD) {
        rows[passes++] = (struct grid_row){0}; // an idle group takes a cycle
    }
    for (uint32_t pass = 0; pass < passes; pass++) {
        snprintf(rows[pass].label, sizeof rows[pass].label, "%c %3u", 'A' + (int)group, pass + 1);
        rows[pass].extra = pass > 0;
        rows[pass].paid = ~UINT64_C(0);
    }
    grid->row_count += passes;
}

static void make_shared(struct grid *grid, const struct gpu *gpu, const struct request *request) {
    grid->row_title = "pass";
    grid->column_title = "bank";
    grid->column_unit = 1;
    grid->column_count = shared_memory_location(gpu, request, 0).banks;
    uint32_t groups = shared_memory_cost(gpu, request).groups;
    for (uint32_t group = 0; group < groups; group++) {
        add_group(grid, gpu, request, group);
    }
}

static int compare_numbers(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

// Finds the distinct rows that the request touches, in ascending order; returns their number.
static uint32_t touched_rows(const struct request *request, uint64_t touched[WARP_WIDTH_MAX]) {
    uint32_t count = 0, distinct = 0;
    for (uint64_t left = request->active; left; left &= left - 1) {
        touched[count++] = request->address[__builtin_ctzll(left)] / GLOBAL_ROW_BYTES;
    }
    qsort(touched, count, sizeof *touched, compare_numbers);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || touched[i] != touched[i - 1]) {
            touched[distinct++] = touched[i];
        }
    }
    return distinct;
}

static void serve_lane(struct grid_row *row, uint32_t lane, uint64_t address, uint32_t width, uint32_t sector_bytes) {
    uint32_t byte = (uint32_t)(address % GLOBAL_ROW_BYTES), sector_cells = sector_bytes / GLOBAL_CELL_BYTES;
    for (uint32_t at = byte; at < byte + width && at < GLOBAL_ROW_BYTES; at += GLOBAL_CELL_BYTES) {
        row->lanes[at / GLOBAL_CELL_BYTES] |= UINT64_C(1) << lane;
    }
    uint32_t first_cell = byte / sector_bytes * sector_cells;
    row->paid |= ((UINT64_C(1) << sector_cells) - 1) << first_cell;
}

static void make_global(struct grid *grid, const struct gpu *gpu, const struct request *request) {
    grid->row_title = "from";
    grid->column_title = "byte";
    grid->column_unit = GLOBAL_CELL_BYTES;
    grid->column_count = GLOBAL_ROW_BYTES / GLOBAL_CELL_BYTES;
    uint64_t touched[WARP_WIDTH_MAX];
    grid->row_count = touched_rows(request, touched);
    for (uint32_t i = 0; i < grid->row_count; i++) {
        uint64_t offset = touched[i] * GLOBAL_ROW_BYTES;
        grid->rows[i] = (struct grid_row){0};
        snprintf(grid->rows[i].label, sizeof grid->rows[i].label, offset < 1000000 ? "%.0f" : "%.0e", (double)offset);
    }
    for (uint64_t left = request->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left), i = 0;
        while (touched[i] != request->address[lane] / GLOBAL_ROW_BYTES) {
            i++;
        }
        serve_lane(&grid->rows[i], lane, request->address[lane], request->width_bytes, gpu->sector_bytes);
    }
}

void grid_make(struct grid *grid, const struct gpu *gpu, enum space space, const struct request *request) {
    grid->row_count = 0;
    if (space == SPACE_SHARED) {
        make_shared(grid, gpu, request);
    } else {
        make_global(grid, gpu, request);
    }
}

// ---- The cost of a request ----

static double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : NAN;
}

static struct cost shared_cost(const struct gpu *gpu, const struct request *request) {
    const struct shared_cost shared = shared_memory_cost(gpu, request);
    const uint32_t rows = shared.groups + shared.conflicts;
    return (struct cost){
        .space = SPACE_SHARED,
        .active_lanes = shared.active_lanes,
        .unique_bytes = shared.unique_bytes,
        .efficiency_pct = percent(shared.unique_bytes, (double)shared_memory_pass_bytes(gpu) * shared.passes),
        .shared = shared,
        .row_passes = rows > 0 ? shared.passes / rows : 1,
        .certainty = certainty_name(shared.certainty),
    };
}

static struct cost global_cost(const struct gpu *gpu, const struct request *request) {
    const struct global_cost global = global_memory_cost(gpu, request);
    const uint32_t sector_bytes = global_sector_bytes(gpu, request->operation);
    return (struct cost){
        .space = SPACE_GLOBAL,
        .active_lanes = global.active_lanes,
        .unique_bytes = global.unique_bytes,
        .efficiency_pct =
            percent((double)global.active_lanes * request->width_bytes, (double)sector_bytes * global.sectors),
        .certainty = "",
        .global = global,
        .sector_bytes = sector_bytes,
    };
}

struct cost request_cost(const struct gpu *gpu, enum space space, const struct request *request) {
    return space == SPACE_SHARED ? shared_cost(gpu, request) : global_cost(gpu, request);
}

const char *space_name(enum space space) {
    return space == SPACE_SHARED ? "shared" : "global";
}

const char *request_name(const struct request *request) {
    return request->atomic ? "atomic" : operation_name(request->operation);
}

const char *operation_name(enum operation operation) {
    return operation == OPERATION_LOAD ? "load" : "store";
}
