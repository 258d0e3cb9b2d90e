#include "apsp/solve/gpu_panel.h"

#include "apsp/solve/gpu_launch.h"

enum {
    THREADS = 256,
    TILE = APSP_REGISTER_TILE
};

static uint64_t words(uint64_t count) {
    return count * sizeof(int32_t);
}

// The address of one of the parts of a left panel.
static uint64_t part_of(uint64_t left, uint32_t rows, uint32_t part) {
    return left + words((uint64_t)part * rows * TILE);
}

enum status apsp_panels_prepare(struct device *device, uint32_t block, bool wide, struct apsp_panels *panels,
                                struct error *error) {
    const enum apsp_step last = block > TILE ? APSP_PHASE3 : APSP_PHASE1;
    *panels = (struct apsp_panels){.device = device, .wide = wide && block > TILE};
    panels->closer = (struct apsp_gpu){.device = device, .settings = apsp_register_settings(32)};
    enum status status = apsp_product_build(device, &panels->product, error);
    for (enum apsp_step step = APSP_PHASE1; step <= last && status == STATUS_OK; step++) {
        status = apsp_gpu_build(&panels->closer, step, error);
    }
    for (enum apsp_step step = APSP_PRODUCT; step <= APSP_TRANSPOSE && status == STATUS_OK && panels->wide; step++) {
        status = apsp_gpu_build(&panels->closer, step, error);
    }
    return status == STATUS_OK ? apsp_gpu_build(&panels->closer, APSP_COPY_PANEL, error) : status;
}

void apsp_panels_release(struct apsp_panels *panels) {
    apsp_gpu_release(&panels->closer);
    apsp_product_release(&panels->product);
}

enum status apsp_panels_copy(const struct apsp_panels *panels, struct stream *stream, uint64_t to, uint32_t to_pitch,
                             uint64_t from, uint32_t from_pitch, uint32_t rows, uint32_t columns, struct error *error) {
    enum {
        QUAD = 4 // words
    };
    const uint64_t threads = (uint64_t)rows * columns / QUAD;
    const struct argument arguments[] = {
        argument_pointer(to),     argument_pointer(from), argument_u32(to_pitch),
        argument_u32(from_pitch), argument_u32(rows),     argument_u32(columns / QUAD),
    };
    const struct launch launch = {
        .grid = {(uint32_t)((threads + THREADS - 1) / THREADS), 1, 1},
        .block = {THREADS, 1, 1},
        .arguments = arguments,
        .argument_count = sizeof arguments / sizeof *arguments,
    };
    return threads ? device_launch_in(panels->device, stream, panels->closer.kernels[APSP_COPY_PANEL], &launch, error)
                   : STATUS_OK;
}

static enum status take_parts(const struct apsp_panels *panels, struct stream *stream, uint64_t left, uint64_t from,
                              uint32_t from_pitch, uint32_t rows, uint32_t pivots, struct error *error) {
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < pivots / TILE && status == STATUS_OK; i++) {
        status = apsp_panels_copy(panels, stream, part_of(left, rows, i), TILE, from + words(i * TILE), from_pitch,
                                  rows, TILE, error);
    }
    return status;
}

enum status apsp_panels_close(const struct apsp_panels *panels, struct stream *stream, uint64_t at, uint32_t pitch,
                              uint32_t pivots, struct error *error) {
    const enum apsp_step last = pivots > TILE ? APSP_PHASE3 : APSP_PHASE1;
    struct apsp_gpu closer = panels->closer;
    closer.w = at;
    closer.pitch = pitch;
    closer.tiles = closer.tile_count = pivots / TILE;
    enum status status = STATUS_OK;
    for (uint32_t pivot = 0; pivot < closer.tiles; pivot++) {
        for (enum apsp_step step = APSP_PHASE1; step <= last && status == STATUS_OK; step++) {
            status = apsp_gpu_launch(&closer, stream, step, pivot, error);
        }
    }
    return status;
}

// A tile's pivots at a time.
static enum status multiply_parts(const struct apsp_panels *panels, struct stream *stream,
                                  const struct apsp_multiply *multiply, struct error *error) {
    struct apsp_operands operands = multiply->operands;
    const uint64_t right = operands.right;
    enum status status = STATUS_OK;
    if (multiply->to) {
        status = apsp_panels_copy(panels, stream, multiply->to, operands.pitch, operands.w, operands.pitch,
                                  operands.rows, operands.columns, error);
        operands.w = multiply->to;
    }
    for (uint32_t i = 0; i < multiply->pivots / TILE && status == STATUS_OK; i++) {
        operands.left = part_of(multiply->operands.left, multiply->left_rows, i) + words(multiply->first_row * TILE);
        operands.right = right + words((uint64_t)i * TILE * operands.right_pitch);
        status = multiply->narrow ? apsp_product_launch_narrow(&panels->product, stream, &operands, error)
                                  : apsp_product_launch(&panels->product, stream, &operands, &multiply->skipped, error);
    }
    return status;
}

// ---- All pivots at once, which loads and stores w once ----

static enum status transpose(struct apsp_gpu *gpu, struct stream *stream, uint64_t left, uint64_t from,
                             uint32_t from_pitch, uint32_t rows, uint32_t pivots, struct error *error) {
    enum {
        EDGE = 32 // rows and words of a block
    };
    const struct argument arguments[] = {
        argument_pointer(left),
        argument_u32(rows),
        argument_pointer(from),
        argument_u32(from_pitch),
    };
    const struct launch launch = {
        .grid = {pivots / EDGE, rows / EDGE, 1},
        .block = {THREADS, 1, 1},
        .arguments = arguments,
        .argument_count = sizeof arguments / sizeof *arguments,
    };
    return apsp_gpu_enqueue(gpu, stream, APSP_TRANSPOSE, &launch, error);
}

// Blocks of rows or columns, in parts of a tile.
struct range {
    uint32_t first, count;
};

// Two blocks that are left out are neighbours.
static struct range skipped_parts(uint32_t block, uint32_t one, uint32_t other) {
    const uint32_t parts = block / TILE, count = (one == UINT32_MAX ? 0u : 1u) + (other == UINT32_MAX ? 0u : 1u);
    return (struct range){count ? (one < other ? one : other) * parts : 0, count * parts};
}

static enum status multiply_at_once(const struct apsp_panels *panels, struct stream *stream,
                                    const struct apsp_multiply *multiply, struct error *error) {
    struct apsp_gpu gpu = panels->closer;
    const struct apsp_operands *operands = &multiply->operands;
    const struct apsp_skipped *skipped = &multiply->skipped;
    const struct range rows = skipped_parts(skipped->block, skipped->row, skipped->other_row);
    const struct range columns = skipped_parts(skipped->block, skipped->column, UINT32_MAX);
    const struct argument arguments[] = {
        argument_pointer(multiply->to ? multiply->to : operands->w),
        argument_pointer(operands->w),
        argument_u32(operands->pitch),
        argument_pointer(operands->left + words(multiply->first_row)),
        argument_u32(multiply->left_rows),
        argument_pointer(operands->right),
        argument_u32(operands->right_pitch),
        argument_u32(multiply->pivots),
        argument_u32(rows.first),
        argument_u32(rows.count),
        argument_u32(columns.first),
        argument_u32(columns.count),
    };
    const struct launch launch = {
        .grid = {operands->columns / TILE - columns.count, operands->rows / TILE - rows.count, 1},
        .block = {THREADS, 1, 1},
        .dynamic_shared_bytes = APSP_WIDE_SHARED_BYTES,
        .thread_instructions = 2.0 * (double)TILE * (double)TILE * multiply->pivots / (double)THREADS,
        .arguments = arguments,
        .argument_count = sizeof arguments / sizeof *arguments,
    };
    return apsp_gpu_enqueue(&gpu, stream, APSP_PRODUCT, &launch, error);
}

enum status apsp_panels_take_left(const struct apsp_panels *panels, struct stream *stream, uint64_t left, uint64_t from,
                                  uint32_t from_pitch, uint32_t rows, uint32_t pivots, struct error *error) {
    struct apsp_gpu gpu = panels->closer;
    return panels->wide ? transpose(&gpu, stream, left, from, from_pitch, rows, pivots, error)
                        : take_parts(panels, stream, left, from, from_pitch, rows, pivots, error);
}

enum status apsp_panels_multiply(const struct apsp_panels *panels, struct stream *stream,
                                 const struct apsp_multiply *multiply, struct error *error) {
    return panels->wide ? multiply_at_once(panels, stream, multiply, error)
                        : multiply_parts(panels, stream, multiply, error);
}
