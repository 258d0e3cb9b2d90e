// Min-plus multiplies on a GPU whose factors are panels apart from the matrix: the kernels `product` of
// register_tiled.cu.
#ifndef APSP_SOLVE_GPU_PRODUCT_H
#define APSP_SOLVE_GPU_PRODUCT_H

#include "device/device.h"

struct apsp_product {
    struct device *device;
    struct kernel *whole, *quarters; // of the parts that a block updates
};

// Sizes in elements, multiples of APSP_REGISTER_TILE; addresses on the device. The left panel has rows of
// APSP_REGISTER_TILE elements, the right one that many rows.
struct apsp_operands {
    uint64_t w, left, right;
    uint32_t rows, columns, pitch, right_pitch;
};

// What a multiply leaves out: two rows of blocks, which are neighbours, and one column. UINT32_MAX: none.
struct apsp_skipped {
    uint32_t block; // rows and columns of a block
    uint32_t row, other_row, column;
};

enum status apsp_product_build(struct device *device, struct apsp_product *product, struct error *error);
void apsp_product_release(struct apsp_product *product);

// Enqueues w = min(w, left (x) right).
enum status apsp_product_launch(const struct apsp_product *product, struct stream *stream,
                                const struct apsp_operands *operands, const struct apsp_skipped *skipped,
                                struct error *error);

// The same for narrow matrices, in smaller parts, so that more multiprocessors take part.
enum status apsp_product_launch_narrow(const struct apsp_product *product, struct stream *stream,
                                       const struct apsp_operands *operands, struct error *error);

#endif
