#include "apsp/solve/gpu_product.h"

#include "apsp/solve/gpu_launch.h"

enum {
    ARGUMENTS_MAX = 9,
    PART = APSP_REGISTER_TILE, // rows and words of a block's part
    THREADS = APSP_REGISTER_THREADS,
    REGISTERS = 128, // of a thread of tile_product.cu, which two blocks of a multiprocessor leave
    EDGE = 32,       // rows and words that a block transposes
    QUAD = 4         // words that a thread copies
};

enum status apsp_product_build(struct device *device, struct apsp_product *product, struct error *error) {
    *product = (struct apsp_product){.device = device};
    TRY(apsp_gpu_build_registers(device, "product", &product->whole, error));
    return apsp_gpu_build_registers(device, "product_small", &product->quarters, error);
}

void apsp_product_release(struct apsp_product *product) {
    struct kernel *kernels[] = {product->whole, product->quarters};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (kernels[i]) {
            device_discard(product->device, kernels[i]);
        }
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

enum status apsp_product_launch(const struct apsp_product *product, struct stream *stream,
                                const struct apsp_operands *operands, const struct apsp_skipped *skipped,
                                struct error *error) {
    struct argument arguments[ARGUMENTS_MAX], *at = arguments + set_operands(operands, arguments);
    *at++ = argument_u32(skipped->block / PART);
    *at++ = argument_u32(skipped->row);
    *at++ = argument_u32(skipped->other_row);
    *at++ = argument_u32(skipped->column);
    return launch(product, stream, product->whole, operands, PART, arguments, (size_t)(at - arguments), error);
}

enum status apsp_product_launch_narrow(const struct apsp_product *product, struct stream *stream,
                                       const struct apsp_operands *operands, struct error *error) {
    struct argument arguments[ARGUMENTS_MAX];
    const size_t count = set_operands(operands, arguments);
    return launch(product, stream, product->quarters, operands, PART / 2, arguments, count, error);
}

// ---- All pivots at once ----

enum status apsp_product_launch_wide(const struct apsp_gpu *gpu, struct stream *stream,
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

enum status apsp_product_transpose(const struct apsp_gpu *gpu, struct stream *stream, struct apsp_words to,
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

enum status apsp_product_copy(const struct apsp_gpu *gpu, struct stream *stream, struct apsp_words to,
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
