#include "apsp/solve/gpu_panel.h"

#include "apsp/solve/gpu_launch.h"
#include "util/embed.h"

EMBED_FILE(apsp_panel_cu, "apsp/kernels/panel.cu");

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

enum status apsp_panels_prepare(struct device *device, uint32_t block, struct apsp_panels *panels,
                                struct error *error) {
    static const struct kernel_source source = {"apsp/kernels/panel.cu", apsp_panel_cu};
    const struct kernel_request copying = {&source, "copy_panel", NULL, 0, NULL, KERNEL_C, NULL};
    const enum apsp_step last = block > TILE ? APSP_PHASE3 : APSP_PHASE1;
    *panels = (struct apsp_panels){.device = device, .block = block};
    panels->closer = (struct apsp_gpu){.device = device, .settings = apsp_register_settings(32)};
    enum status status = device_allocate(device, words((uint64_t)block * block), &panels->closing, error);
    if (status == STATUS_OK) {
        status = apsp_product_build(device, &panels->product, error);
    }
    for (enum apsp_step step = APSP_PHASE1; step <= last && status == STATUS_OK; step++) {
        status = apsp_gpu_build(&panels->closer, step, error);
    }
    panels->wide = device->info.shared_bytes_per_block_max >= 2 * (uint32_t)APSP_WIDE_SHARED_BYTES;
    for (enum apsp_step step = APSP_PRODUCT; step <= APSP_TRANSPOSE && status == STATUS_OK && panels->wide; step++) {
        status = apsp_gpu_build(&panels->closer, step, error);
    }
    return status == STATUS_OK ? device_build(device, &copying, &panels->copy, error) : status;
}

void apsp_panels_release(struct apsp_panels *panels) {
    struct kernel *const *kernels = panels->closer.kernels;
    struct kernel *built[] = {kernels[APSP_PHASE1],  kernels[APSP_PHASE2],    kernels[APSP_PHASE3],
                              kernels[APSP_PRODUCT], kernels[APSP_TRANSPOSE], panels->copy};
    for (size_t i = 0; i < sizeof built / sizeof *built; i++) {
        if (built[i]) {
            device_discard(panels->device, built[i]);
        }
    }
    apsp_product_release(&panels->product);
    if (panels->closing) {
        device_release(panels->device, panels->closing);
    }
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
    return threads ? device_launch_in(panels->device, stream, panels->copy, &launch, error) : STATUS_OK;
}

enum status apsp_panels_take_left(const struct apsp_panels *panels, struct stream *stream, uint64_t left, uint64_t from,
                                  uint32_t from_pitch, uint32_t rows, uint32_t pivots, struct error *error) {
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < pivots / TILE && status == STATUS_OK; i++) {
        status = apsp_panels_copy(panels, stream, part_of(left, rows, i), TILE, from + words(i * TILE), from_pitch,
                                  rows, TILE, error);
    }
    return status;
}

enum status apsp_panels_close(const struct apsp_panels *panels, struct stream *stream, uint64_t from,
                              uint32_t from_pitch, uint32_t pivots, uint64_t closed, struct error *error) {
    const enum apsp_step last = pivots > TILE ? APSP_PHASE3 : APSP_PHASE1;
    struct apsp_gpu closer = panels->closer;
    closer.w = panels->closing;
    closer.pitch = pivots;
    closer.tiles = closer.tile_count = pivots / TILE;
    enum status status =
        apsp_panels_copy(panels, stream, panels->closing, pivots, from, from_pitch, pivots, pivots, error);
    for (uint32_t pivot = 0; pivot < closer.tiles; pivot++) {
        for (enum apsp_step step = APSP_PHASE1; step <= last && status == STATUS_OK; step++) {
            status = apsp_gpu_launch(&closer, stream, step, pivot, error);
        }
    }
    return status == STATUS_OK
               ? apsp_panels_take_left(panels, stream, closed, panels->closing, pivots, pivots, pivots, error)
               : status;
}

enum status apsp_panels_multiply(const struct apsp_panels *panels, struct stream *stream, struct apsp_operands operands,
                                 uint32_t left_rows, uint32_t pivots, const struct apsp_skipped *skipped,
                                 struct error *error) {
    const struct apsp_operands first = operands;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < pivots / TILE && status == STATUS_OK; i++) {
        operands.left = part_of(first.left, left_rows, i);
        operands.right = first.right + words((uint64_t)i * TILE * first.right_pitch);
        status = skipped ? apsp_product_launch(&panels->product, stream, &operands, skipped, error)
                         : apsp_product_launch_narrow(&panels->product, stream, &operands, error);
    }
    return status;
}

// ---- All pivots at once, which loads and stores w once ----

static enum status transpose(struct apsp_gpu *gpu, struct stream *stream, const struct apsp_operands *operands,
                             uint64_t from, uint32_t from_pitch, uint32_t pivots, struct error *error) {
    enum {
        EDGE = 32 // rows and words of a block
    };
    const struct argument arguments[] = {
        argument_pointer(operands->left),
        argument_u32(operands->rows),
        argument_pointer(from),
        argument_u32(from_pitch),
    };
    const struct launch launch = {
        .grid = {pivots / EDGE, operands->rows / EDGE, 1},
        .block = {THREADS, 1, 1},
        .arguments = arguments,
        .argument_count = sizeof arguments / sizeof *arguments,
    };
    return apsp_gpu_enqueue(gpu, stream, APSP_TRANSPOSE, &launch, error);
}

static enum status multiply_at_once(struct apsp_gpu *gpu, struct stream *stream, const struct apsp_operands *operands,
                                    uint32_t pivots, struct error *error) {
    const struct argument none = argument_u32(0);
    const struct argument arguments[] = {
        argument_pointer(operands->w),
        argument_pointer(operands->w),
        argument_u32(operands->pitch),
        argument_pointer(operands->left),
        argument_u32(operands->rows),
        argument_pointer(operands->right),
        argument_u32(operands->right_pitch),
        argument_u32(pivots),
        none,
        none,
        none,
        none,
    };
    const struct launch launch = {
        .grid = {operands->columns / TILE, operands->rows / TILE, 1},
        .block = {THREADS, 1, 1},
        .dynamic_shared_bytes = APSP_WIDE_SHARED_BYTES,
        .thread_instructions = 2.0 * (double)TILE * (double)TILE * pivots / (double)THREADS,
        .arguments = arguments,
        .argument_count = sizeof arguments / sizeof *arguments,
    };
    return apsp_gpu_enqueue(gpu, stream, APSP_PRODUCT, &launch, error);
}

enum status apsp_panels_multiply_columns(const struct apsp_panels *panels, struct stream *stream,
                                         const struct apsp_operands *operands, uint64_t from, uint32_t from_pitch,
                                         uint32_t pivots, struct error *error) {
    static const struct apsp_skipped nothing = {TILE, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    const uint32_t rows = operands->rows;
    struct apsp_gpu gpu = panels->closer;
    enum status status =
        panels->wide ? transpose(&gpu, stream, operands, from, from_pitch, pivots, error)
                     : apsp_panels_take_left(panels, stream, operands->left, from, from_pitch, rows, pivots, error);
    if (status != STATUS_OK) {
        return status;
    }
    return panels->wide ? multiply_at_once(&gpu, stream, operands, pivots, error)
                        : apsp_panels_multiply(panels, stream, *operands, rows, pivots, &nothing, error);
}
