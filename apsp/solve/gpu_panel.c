#include "apsp/solve/gpu_panel.h"

#include "apsp/solve/gpu_launch.h"

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
    *panels = (struct apsp_panels){.device = device, .wide = wide && block > TILE};
    panels->closer = (struct apsp_gpu){.device = device, .settings = apsp_register_settings(32)};
    enum status status = apsp_product_build(device, &panels->product, error);
    for (enum apsp_step step = APSP_PHASE1; step <= last && status == STATUS_OK; step++) {
        status = apsp_gpu_build(&panels->closer, step, error);
    }
    for (enum apsp_step step = panels->wide ? APSP_PRODUCT : APSP_COPY_PANEL;
         step <= APSP_COPY_PANEL && status == STATUS_OK; step++) {
        status = apsp_gpu_build(&panels->closer, step, error);
    }
    return status;
}

void apsp_panels_release(struct apsp_panels *panels) {
    apsp_gpu_release(&panels->closer);
    apsp_product_release(&panels->product);
}

enum status apsp_panels_copy(const struct apsp_panels *panels, struct stream *stream, uint64_t to, uint32_t to_pitch,
                             uint64_t from, uint32_t from_pitch, uint32_t rows, uint32_t columns, struct error *error) {
    const struct apsp_words target = {to, to_pitch}, source = {from, from_pitch};
    return apsp_product_copy(&panels->closer, stream, target, source, rows, columns, error);
}

static enum status take_parts(const struct apsp_panels *panels, struct stream *stream, uint64_t left, uint64_t from,
                              uint32_t from_pitch, uint32_t rows, uint32_t pivots, struct error *error) {
    for (uint32_t i = 0; i < pivots / TILE; i++) {
        TRY(apsp_panels_copy(panels, stream, part_of(left, rows, i), TILE, from + words(i * TILE), from_pitch, rows,
                             TILE, error));
    }
    return STATUS_OK;
}

enum status apsp_panels_close(const struct apsp_panels *panels, struct stream *stream, uint64_t at, uint32_t pitch,
                              uint32_t pivots, struct error *error) {
    struct apsp_gpu closer = panels->closer;
    closer.pitch = pitch;
    return apsp_gpu_launch_close(&closer, stream, at, pivots, error);
}

// A tile's pivots at a time.
static enum status multiply_parts(const struct apsp_panels *panels, struct stream *stream,
                                  const struct apsp_multiply *multiply, struct error *error) {
    struct apsp_operands operands = multiply->operands;
    const uint64_t right = operands.right;
    if (multiply->to) {
        TRY(apsp_panels_copy(panels, stream, multiply->to, operands.pitch, operands.w, operands.pitch, operands.rows,
                             operands.columns, error));
        operands.w = multiply->to;
    }
    for (uint32_t i = 0; i < multiply->pivots / TILE; i++) {
        operands.left = part_of(multiply->operands.left, multiply->left_rows, i) + words(multiply->first_row * TILE);
        operands.right = right + words((uint64_t)i * TILE * operands.right_pitch);
        TRY(multiply->narrow ? apsp_product_launch_narrow(&panels->product, stream, &operands, error)
                             : apsp_product_launch(&panels->product, stream, &operands, &multiply->skipped, error));
    }
    return STATUS_OK;
}

// ---- All pivots at once, which loads and stores w once ----

// Two blocks that are left out are neighbours.
static struct apsp_parts skipped_parts(uint32_t block, uint32_t one, uint32_t other) {
    const uint32_t parts = block / TILE, count = (one == UINT32_MAX ? 0u : 1u) + (other == UINT32_MAX ? 0u : 1u);
    return (struct apsp_parts){count ? (one < other ? one : other) * parts : 0, count * parts};
}

static enum status multiply_at_once(const struct apsp_panels *panels, struct stream *stream,
                                    const struct apsp_multiply *multiply, struct error *error) {
    const struct apsp_operands *operands = &multiply->operands;
    const struct apsp_skipped *skipped = &multiply->skipped;
    const struct apsp_tile_product product = {
        .to = multiply->to ? multiply->to : operands->w,
        .w = {operands->w, operands->pitch},
        .left = {operands->left + words(multiply->first_row), multiply->left_rows},
        .right = {operands->right, operands->right_pitch},
        .pivots = multiply->pivots,
        .high = operands->rows / TILE,
        .wide = operands->columns / TILE,
        .skipped_rows = skipped_parts(skipped->block, skipped->row, skipped->other_row),
        .skipped_columns = skipped_parts(skipped->block, skipped->column, UINT32_MAX),
    };
    return apsp_product_launch_wide(&panels->closer, stream, &product, error);
}

enum status apsp_panels_take_left(const struct apsp_panels *panels, struct stream *stream, uint64_t left, uint64_t from,
                                  uint32_t from_pitch, uint32_t rows, uint32_t pivots, struct error *error) {
    const struct apsp_words to = {left, rows}, columns = {from, from_pitch};
    return panels->wide ? apsp_product_transpose(&panels->closer, stream, to, columns, rows, pivots, error)
                        : take_parts(panels, stream, left, from, from_pitch, rows, pivots, error);
}

enum status apsp_panels_multiply(const struct apsp_panels *panels, struct stream *stream,
                                 const struct apsp_multiply *multiply, struct error *error) {
    return panels->wide ? multiply_at_once(panels, stream, multiply, error)
                        : multiply_parts(panels, stream, multiply, error);
}
