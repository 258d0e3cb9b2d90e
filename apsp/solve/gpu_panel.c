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
    return status == STATUS_OK ? device_build(device, &copying, &panels->copy, error) : status;
}

void apsp_panels_release(struct apsp_panels *panels) {
    struct kernel *const *kernels = panels->closer.kernels;
    struct kernel *built[] = {kernels[APSP_PHASE1], kernels[APSP_PHASE2], kernels[APSP_PHASE3], panels->copy};
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
