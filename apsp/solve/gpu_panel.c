#include "apsp/solve/gpu_panel.h"

#include "apsp/solve/gpu_launch.h"

// ---- Products of panels ----

enum {
    ARGUMENTS_MAX = 9,
    PART = APSP_REGISTER_TILE, // rows and words of a block's part
    THREADS = APSP_REGISTER_THREADS,
    REGISTERS = 128, // of a thread of tile_product.cu, which two blocks of a multiprocessor leave
    EDGE = 32,       // rows and words that a block transposes
    QUAD = 4         // words that a thread copies
};

static enum status apsp_product_build(struct device *device, struct apsp_product *product, struct error *error) {
    *product = (struct apsp_product){.device = device};
    TRY(apsp_gpu_build_registers(device, "product", &product->whole, error));
    return apsp_gpu_build_registers(device, "product_small", &product->quarters, error);
}

static void apsp_product_release(struct apsp_product *product) {
    struct kernel *kernels[] = {product->whole, product->quarters};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        device_discard(product->device, kernels[i]);
    }
}

// Sets the arguments that both kernels have and returns how many they are.
static size_t set_operands(const struct apsp_operands *operands, struct argument *at) {
    const struct argument *first = at;
    *at++ = argument_pointer(operands->w);
    *at++ = argument_u32(operands->pitch);
    *at++ = argument_pointer(operands->left);
    *at++ = argument_pointer(operands->right);
    *at++ = argument_u32(operands->right_pitch);
    return (size_t)(at - first);
}

static enum status launch(const struct apsp_product *product, struct stream *stream, struct kernel *kernel,
                          const struct apsp_operands *operands, uint32_t part, const struct argument *arguments,
                          size_t count, struct error *error) {
    const struct launch launch = {
        .grid = {operands->columns / part, operands->rows / part, 1},
        .block = {THREADS, 1, 1},
        .thread_instructions = 2.0 * part * part * (double)PART / (double)THREADS,
        .arguments = arguments,
        .argument_count = count,
    };
    const bool empty = launch.grid.x == 0 || launch.grid.y == 0;
    return empty ? STATUS_OK : device_launch_in(product->device, stream, kernel, &launch, error);
}

// Enqueues w = min(w, left (x) right).
static enum status apsp_product_launch(const struct apsp_product *product, struct stream *stream,
                                       const struct apsp_operands *operands, const struct apsp_skipped *skipped,
                                       struct error *error) {
    struct argument arguments[ARGUMENTS_MAX], *at = arguments + set_operands(operands, arguments);
    *at++ = argument_u32(skipped->block / PART);
    *at++ = argument_u32(skipped->row);
    *at++ = argument_u32(skipped->other_row);
    *at++ = argument_u32(skipped->column);
    return launch(product, stream, product->whole, operands, PART, arguments, (size_t)(at - arguments), error);
}

// The same for narrow matrices, in smaller parts, so that more multiprocessors take part.
static enum status apsp_product_launch_narrow(const struct apsp_product *product, struct stream *stream,
                                              const struct apsp_operands *operands, struct error *error) {
    struct argument arguments[ARGUMENTS_MAX];
    const size_t count = set_operands(operands, arguments);
    return launch(product, stream, product->quarters, operands, PART / 2, arguments, count, error);
}

// ---- All pivots at once ----

enum status apsp_product_launch_wide(const struct apsp_gpu *gpu, struct stream *stream,
                                     const struct apsp_tile_product *product, struct error *error) {
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
