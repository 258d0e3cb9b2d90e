// A tensor map as the simulator understands it, in the 128 bytes of CUDA's CUtensorMap, whose form is not public.
#ifndef SIM_PTX_KERNEL_TENSOR_MAP_H
#define SIM_PTX_KERNEL_TENSOR_MAP_H

#include <stdint.h>

enum {
    TENSOR_DIMENSIONS = 5
};

// The numbers of CUtensorMapDataType.
enum tensor_type {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16
};

static const uint64_t tensor_map_mark __attribute__((unused)) = UINT64_C(0x70616d726f736e74);

// Dimension 0 is the innermost.
struct tensor_map {
    uint64_t mark, address;
    uint64_t strides[TENSOR_DIMENSIONS - 1]; // bytes from one element to the next along dimensions 1 to 4
    uint32_t sizes[TENSOR_DIMENSIONS], box[TENSOR_DIMENSIONS];
    uint8_t dimensions, element_bytes, swizzle; // span of the swizzle in bytes: 0, 32, 64 or 128
    uint8_t type;                               // enum tensor_type; a reduction needs it
    uint8_t unused[36];
};

_Static_assert(sizeof(struct tensor_map) == 128, "a map has the size of CUDA's");

#endif
