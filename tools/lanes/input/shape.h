// The shape of a buffer: sizes, and strides in elements.
#ifndef TOOLS_LANES_INPUT_SHAPE_H
#define TOOLS_LANES_INPUT_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RANK_MAX = 8
};

struct shape {
    size_t rank;
    uint64_t size[RANK_MAX], stride[RANK_MAX];
};

// Parses SIZES[@STRIDES], each as 4K or 64x64; without strides the last dimension is dense. False if that is not
// understood, if the numbers of sizes and strides differ, or if more than 2^40 elements result.
bool shape_parse(struct shape *shape, const char *text);

// Sets the strides of dense rows, or of dense columns.
void shape_set_dense(struct shape *shape, bool by_column);

// The number of elements, and of those that the buffer must have room for, strides included.
uint64_t shape_elements(const struct shape *shape);
uint64_t shape_extent(const struct shape *shape);

// The place in the buffer of element i, counted row by row.
uint64_t shape_place(const struct shape *shape, uint64_t i);

#endif
