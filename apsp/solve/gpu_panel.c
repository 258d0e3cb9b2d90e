#include "apsp/solve/gpu_panel.h"

#include "apsp/solve/gpu_launch.h"

// ---- Products of panels ----

enum {
    OPERANDS = 5,              // the arguments that both kernels have
    PART = APSP_REGISTER_TILE, // rows and words of a block's part
    THREADS = APSP_REGISTER_THREADS,
    REGISTERS = 128, // of a thread of tile_product.cu, which two blocks of a multiprocessor leave
    EDGE = 32,       // rows and words that a block transposes
    QUAD = 4         // words that a thread copies
};

// Enqueues w = min(w, left (x) right) by the pivots of a tile, for a narrow w in smaller parts, so that more
// multiprocessors take part.
static enum status launch_tile(const struct apsp_panels *panels, struct stream *stream,
                               const struct apsp_product *product, bool narrow, struct error *error) {
    const uint32_t parts = narrow ? 2 : 1, side = PART / parts, block = panels->block / PART;
    const struct apsp_parts rows = product->skipped_rows, columns = product->skipped_columns;
    const uint32_t row = rows.count > 0 ? rows.first / block : UINT32_MAX; // the kernel counts in blocks
    const struct argument arguments[] = {
        argument_pointer(product->w.at),
        argument_u32(product->w.pitch),
        argument_pointer(product->left.at),
        argument_pointer(product->right.at),
        argument_u32(product->right.pitch),
        argument_u32(block),
        argument_u32(row),
        argument_u32(rows.count > block ? row + 1 : row),
        argument_u32(columns.count > 0 ? columns.first / block : UINT32_MAX),
    };
    const struct launch launch = {
        .grid = {product->wide * parts, product->high * parts, 1},
        .block = {THREADS, 1, 1},
        .thread_instructions = 2.0 * side * side * (double)PART / (double)THREADS,
        .arguments = arguments,
        .argument_count = narrow ? OPERANDS : sizeof arguments / sizeof *arguments,
    };
    const bool empty = launch.grid.x == 0 || launch.grid.y == 0;
    return empty ? STATUS_OK
                 : device_launch_in(panels->closer.device, stream, narrow ? panels->quarters : panels->whole, &launch,
                                    error);
}

// ---- All pivots at once ----

enum status apsp_product_launch_wide(const struct apsp_gpu *gpu, struct stream *stream,
                                     const struct apsp_product *product, struct error *error) {
    const struct launch launch = {
        .grid = {product->wide - product->skipped_columns.count, product->high - product->skipped_rows.count, 1},
        .block = {THREADS, 1, 1},
        .dynamic_shared_bytes = APSP_WIDE_SHARED_BYTES,
        .thread_instructions = 2.0 * (double)PART * (double)PART * product->pivots / (double)THREADS,
        .thread_registers = REGISTERS,
        LAUNCH_ARGUMENTS(argument_pointer(product->to), argument_pointer(product->w.at), argument_u32(product->w.pitch),
                         argument_pointer(product->left.at), argument_u32(product->left.pitch),
                         argument_pointer(product->right.at), argument_u32(product->right.pitch),
                         argument_u32(product->pivots), argument_u32(product->skipped_rows.first),
                         argument_u32(product->skipped_rows.count), argument_u32(product->skipped_columns.first),
                         argument_u32(product->skipped_columns.count)),
    };
    return apsp_gpu_enqueue(gpu, stream, APSP_PRODUCT, &launch, error);
}

enum status apsp_product_transpose(const struct apsp_gpu *gpu, struct stream *stream, struct apsp_words to,
                                   struct apsp_words from, uint32_t rows, uint32_t words, struct error *error) {
    const struct launch launch = {
        .grid = {words / EDGE, rows / EDGE, 1},
        .block = {THREADS, 1, 1},
        LAUNCH_ARGUMENTS(argument_pointer(to.at), argument_u32(to.pitch), argument_pointer(from.at),
                         argument_u32(from.pitch)),
    };
    return apsp_gpu_enqueue(gpu, stream, APSP_TRANSPOSE, &launch, error);
}

enum status apsp_product_copy(const struct apsp_gpu *gpu, struct stream *stream, struct apsp_words to,
                              struct apsp_words from, uint32_t rows, uint32_t words, struct error *error) {
    const uint64_t threads = (uint64_t)rows * words / QUAD;
    const struct launch launch = {
        .grid = {(uint32_t)((threads + THREADS - 1) / THREADS), 1, 1},
        .block = {THREADS, 1, 1},
        LAUNCH_ARGUMENTS(argument_pointer(to.at), argument_pointer(from.at), argument_u32(to.pitch),
                         argument_u32(from.pitch), argument_u32(rows), argument_u32(words / QUAD)),
    };
    return apsp_gpu_enqueue(gpu, stream, APSP_COPY_PANEL, &launch, error);
}

enum {
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
    *panels = (struct apsp_panels){.block = block, .wide = wide && block > TILE};
    panels->closer = (struct apsp_gpu){.device = device, .settings = apsp_register_settings(32)};
    TRY(apsp_gpu_build_registers(device, "product", &panels->whole, error));
    TRY(apsp_gpu_build_registers(device, "product_small", &panels->quarters, error));
    for (enum apsp_step step = APSP_PHASE1; step <= last; step++) {
        TRY(apsp_gpu_build(&panels->closer, step, error));
    }
    for (enum apsp_step step = panels->wide ? APSP_PRODUCT : APSP_COPY_PANEL; step <= APSP_COPY_PANEL; step++) {
        TRY(apsp_gpu_build(&panels->closer, step, error));
    }
    return STATUS_OK;
}

void apsp_panels_release(struct apsp_panels *panels) {
    device_discard(panels->closer.device, panels->whole);
    device_discard(panels->closer.device, panels->quarters);
    apsp_gpu_release(&panels->closer);
}

static enum status take_parts(const struct apsp_panels *panels, struct stream *stream, uint64_t left, uint64_t from,
                              uint32_t from_pitch, uint32_t rows, uint32_t pivots, struct error *error) {
    for (uint32_t i = 0; i < pivots / TILE; i++) {
        const struct apsp_words part = {part_of(left, rows, i), TILE}, columns = {from + words(i * TILE), from_pitch};
        TRY(apsp_product_copy(&panels->closer, stream, part, columns, rows, TILE, error));
    }
    return STATUS_OK;
}

enum status apsp_panels_close(const struct apsp_panels *panels, struct stream *stream, uint64_t at, uint32_t pitch,
                              uint32_t pivots, struct error *error) {
    struct apsp_gpu closer = panels->closer;
    closer.pitch = pitch;
    return apsp_gpu_launch_close(&closer, stream, at, pivots, error);
}

uint64_t apsp_panels_left_at(const struct apsp_panels *panels, uint64_t left, uint32_t row) {
    return left + words(panels->wide ? row : (uint64_t)row * TILE);
}

// A tile's pivots at a time.
static enum status multiply_tiles(const struct apsp_panels *panels, struct stream *stream,
                                  const struct apsp_product *product, bool narrow, struct error *error) {
    struct apsp_product tile = *product;
    if (product->to != product->w.at) {
        tile.w.at = product->to;
        TRY(apsp_product_copy(&panels->closer, stream, tile.w, product->w, product->high * TILE, product->wide * TILE,
                              error));
    }
    for (uint32_t i = 0; i < product->pivots / TILE; i++) {
        tile.left.at = part_of(product->left.at, product->left.pitch, i);
        tile.right.at = product->right.at + words((uint64_t)i * TILE * product->right.pitch);
        TRY(launch_tile(panels, stream, &tile, narrow, error));
    }
    return STATUS_OK;
}

enum status apsp_panels_take_left(const struct apsp_panels *panels, struct stream *stream, uint64_t left, uint64_t from,
                                  uint32_t from_pitch, uint32_t rows, uint32_t pivots, struct error *error) {
    const struct apsp_words to = {left, rows}, columns = {from, from_pitch};
    return panels->wide ? apsp_product_transpose(&panels->closer, stream, to, columns, rows, pivots, error)
                        : take_parts(panels, stream, left, from, from_pitch, rows, pivots, error);
}

enum status apsp_panels_multiply(const struct apsp_panels *panels, struct stream *stream,
                                 const struct apsp_product *product, bool narrow, struct error *error) {
    return panels->wide ? apsp_product_launch_wide(&panels->closer, stream, product, error)
                        : multiply_tiles(panels, stream, product, narrow, error);
}
