#include "apsp/solve/gpu_wide_launch.h"

#include "apsp/solve/gpu_launch.h"

enum {
    PART = APSP_REGISTER_TILE, // rows and words of a block's part
    THREADS = APSP_REGISTER_THREADS,
    REGISTERS = 128, // of a thread of tile_product.cu, which two blocks of a multiprocessor leave
    EDGE = 32,       // rows and words that a block transposes
    QUAD = 4         // words that a thread copies
};

enum status apsp_wide_launch_product(const struct apsp_gpu *gpu, struct stream *stream,
                                     const struct apsp_tile_product *product, struct error *error) {
    const struct argument arguments[] = {
        argument_pointer(product->to),
        argument_pointer(product->w.at),
        argument_u32(product->w.pitch),
        argument_pointer(product->left.at),
        argument_u32(product->left.pitch),
        argument_pointer(product->right.at),
        argument_u32(product->right.pitch),
        argument_u32(product->pivots),
        argument_u32(product->skipped_rows.first),
        argument_u32(product->skipped_rows.count),
        argument_u32(product->skipped_columns.first),
        argument_u32(product->skipped_columns.count),
    };
    const struct launch launch = {
        .grid = {product->wide - product->skipped_columns.count, product->high - product->skipped_rows.count, 1},
        .block = {THREADS, 1, 1},
        .dynamic_shared_bytes = APSP_WIDE_SHARED_BYTES,
        .thread_instructions = 2.0 * (double)PART * (double)PART * product->pivots / (double)THREADS,
        .thread_registers = REGISTERS,
        .arguments = arguments,
        .argument_count = sizeof arguments / sizeof *arguments,
    };
    return apsp_gpu_enqueue(gpu, stream, APSP_PRODUCT, &launch, error);
}

enum status apsp_wide_launch_transpose(const struct apsp_gpu *gpu, struct stream *stream, struct apsp_words to,
                                       struct apsp_words from, uint32_t rows, uint32_t words, struct error *error) {
    const struct argument arguments[] = {
        argument_pointer(to.at),
        argument_u32(to.pitch),
        argument_pointer(from.at),
        argument_u32(from.pitch),
    };
    const struct launch launch = {
        .grid = {words / EDGE, rows / EDGE, 1},
        .block = {THREADS, 1, 1},
        .arguments = arguments,
        .argument_count = sizeof arguments / sizeof *arguments,
    };
    return apsp_gpu_enqueue(gpu, stream, APSP_TRANSPOSE, &launch, error);
}

enum status apsp_wide_launch_copy(const struct apsp_gpu *gpu, struct stream *stream, struct apsp_words to,
                                  struct apsp_words from, uint32_t rows, uint32_t words, struct error *error) {
    const uint64_t threads = (uint64_t)rows * words / QUAD;
    const struct argument arguments[] = {
        argument_pointer(to.at),  argument_pointer(from.at), argument_u32(to.pitch),
        argument_u32(from.pitch), argument_u32(rows),        argument_u32(words / QUAD),
    };
    const struct launch launch = {
        .grid = {(uint32_t)((threads + THREADS - 1) / THREADS), 1, 1},
        .block = {THREADS, 1, 1},
        .arguments = arguments,
        .argument_count = sizeof arguments / sizeof *arguments,
    };
    return apsp_gpu_enqueue(gpu, stream, APSP_COPY_PANEL, &launch, error);
}

enum status apsp_wide_launch_close(const struct apsp_gpu *gpu, struct stream *stream, uint64_t at, uint32_t pivots,
                                   struct error *error) {
    const enum apsp_step last = pivots > APSP_REGISTER_TILE ? APSP_PHASE3 : APSP_PHASE1;
    struct apsp_gpu inner = *gpu;
    inner.w = at;
    inner.settings.tile = APSP_REGISTER_TILE;
    inner.tiles = inner.tile_count = pivots / APSP_REGISTER_TILE;
    inner.first_tile = 0;
    enum status status = STATUS_OK;
    for (uint32_t pivot = 0; pivot < inner.tiles; pivot++) {
        for (enum apsp_step step = APSP_PHASE1; step <= last && status == STATUS_OK; step++) {
            status = apsp_gpu_launch(&inner, stream, step, pivot, error);
        }
    }
    return status;
}
