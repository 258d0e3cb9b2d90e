// A tensor map over a buffer, for kernels that copy tiles by cp.async.bulk.tensor.
#ifndef TOOLS_LANES_INPUT_TENSOR_H
#define TOOLS_LANES_INPUT_TENSOR_H

#include "device/launch.h"
#include "tools/lanes/input/element.h"
#include "tools/lanes/input/shape.h"
#include "util/error.h"

enum {
    TENSOR_MAP_ARGUMENTS = 16 // 8 bytes each
};

// What is copied at once, and the span in bytes of the swizzle in shared memory; rank 0: no map.
struct tensor_box {
    size_t rank;
    uint64_t size[RANK_MAX]; // the last one is of the innermost dimension
    uint32_t swizzle;
};

// Parses SIZES[@SWIZZLE] up to the colon, as in 64x64@128, and moves *text after it; false if it is none of these.
bool tensor_box_parse(struct tensor_box *box, const char **text);

// The map as a kernel takes it by value. STATUS_USAGE if CUDA has no such map; `text` is the --arg.
enum status tensor_map_make(struct argument arguments[TENSOR_MAP_ARGUMENTS], const struct tensor_box *box,
                            const struct element_type *type, const struct shape *shape, uint64_t address,
                            const char *text, struct error *error);

#endif
