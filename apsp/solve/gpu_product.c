#include "apsp/solve/gpu_product.h"

#include "apsp/solve/gpu.h"

enum {
    ARGUMENTS_MAX = 9
};

enum status apsp_product_build(struct device *device, struct apsp_product *product, struct error *error) {
    *product = (struct apsp_product){.device = device};
    enum status status = apsp_gpu_build_registers(device, "product", &product->whole, error);
    return status == STATUS_OK ? apsp_gpu_build_registers(device, "product_small", &product->quarters, error) : status;
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
        .block = {APSP_REGISTER_THREADS, 1, 1},
        .thread_instructions = 2.0 * part * part * (double)APSP_REGISTER_TILE / (double)APSP_REGISTER_THREADS,
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
    *at++ = argument_u32(skipped->block / APSP_REGISTER_TILE);
    *at++ = argument_u32(skipped->row);
    *at++ = argument_u32(skipped->other_row);
    *at++ = argument_u32(skipped->column);
    return launch(product, stream, product->whole, operands, APSP_REGISTER_TILE, arguments, (size_t)(at - arguments),
                  error);
}

enum status apsp_product_launch_narrow(const struct apsp_product *product, struct stream *stream,
                                       const struct apsp_operands *operands, struct error *error) {
    struct argument arguments[ARGUMENTS_MAX];
    const size_t count = set_operands(operands, arguments);
    return launch(product, stream, product->quarters, operands, APSP_REGISTER_TILE / 2, arguments, count, error);
}
