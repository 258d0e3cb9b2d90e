#include "tools/lanes/input/tensor.h"

#include <string.h>

#include "sim/ptx/kernel/tensor_map.h"
#include "util/options.h"

enum {
    LARGEST_BOX = 256, // in each dimension
    UNIT = 16          // bytes; distances and a box's rows are multiples of it
};

bool tensor_box_parse(struct tensor_box *box, const char **text) {
    char word[128] = "";
    const size_t length = strcspn(*text, ":");
    if (!(*text)[length] || length >= sizeof word) {
        return false;
    }
    memcpy(word, *text, length);
    *text += length + 1;
    struct shape sizes;
    uint64_t swizzle = 0;
    char *at = strchr(word, '@');
    if (at) {
        *at = '\0';
        if (parse_count(&swizzle, "--arg", at + 1, 0, 128, NULL) != STATUS_OK) {
            return false;
        }
    }
    if (!shape_parse(&sizes, word)) {
        return false;
    }
    *box = (struct tensor_box){.rank = sizes.rank, .swizzle = (uint32_t)swizzle};
    memcpy(box->size, sizes.size, sizeof box->size);
    return true;
}

// NULL, or why CUDA has no such map.
static const char *fault_of(const struct tensor_box *box, const struct element_type *type, const struct shape *shape) {
    const uint64_t row = box->size[box->rank - 1] * type->bytes;
    if (box->rank != shape->rank || box->rank > TENSOR_DIMENSIONS) {
        return "the box has other dimensions than the buffer: give a size for each of up to 5";
    }
    for (size_t i = 0; i < box->rank; i++) {
        const bool innermost = i + 1 == box->rank;
        if (box->size[i] > LARGEST_BOX) {
            return "the box is too large: give up to 256 elements in each dimension";
        }
        if (shape->size[i] > UINT32_MAX) {
            return "the buffer is too large: give fewer than 2^32 elements in each dimension";
        }
        if (innermost ? shape->stride[i] != 1 : shape->stride[i] * type->bytes % UNIT != 0) {
            return "the buffer's rows are not dense, or not multiples of 16 bytes apart: give other strides";
        }
    }
    if (row % UNIT != 0 || (box->swizzle && row > box->swizzle)) {
        return "a row of the box must be a multiple of 16 bytes, and no longer than the swizzle: give another size";
    }
    return box->swizzle == 0 || box->swizzle == 32 || box->swizzle == 64 || box->swizzle == 128
               ? NULL
               : "no such swizzle: give 32, 64 or 128 bytes, or none";
}

enum status tensor_map_make(struct argument arguments[TENSOR_MAP_ARGUMENTS], const struct tensor_box *box,
                            const struct element_type *type, const struct shape *shape, uint64_t address,
                            const char *text, struct error *error) {
    const char *fault = fault_of(box, type, shape);
    if (fault) {
        return error_set(error, STATUS_USAGE, "--arg %.100s: %s", text, fault);
    }
    struct tensor_map map = {.mark = tensor_map_mark,
                             .address = address,
                             .dimensions = (uint8_t)box->rank,
                             .element_bytes = (uint8_t)type->bytes,
                             .swizzle = (uint8_t)box->swizzle};
    for (size_t d = 0; d < box->rank; d++) {
        const size_t i = box->rank - 1 - d;
        map.sizes[d] = (uint32_t)shape->size[i];
        map.box[d] = (uint32_t)box->size[i];
        if (d > 0) {
            map.strides[d - 1] = shape->stride[i] * type->bytes;
        }
    }
    for (size_t i = 0; i < TENSOR_MAP_ARGUMENTS; i++) {
        uint64_t word;
        memcpy(&word, (const char *)&map + i * sizeof word, sizeof word);
        arguments[i] = argument_pointer(word); // so that the second one is found as the buffer's
    }
    return STATUS_OK;
}
