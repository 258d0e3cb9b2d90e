// NumPy's .npy files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#ifndef TOOLS_LANES_INPUT_NPY_H
#define TOOLS_LANES_INPUT_NPY_H

#include <stdio.h>

#include "tools/lanes/input/element.h"
#include "tools/lanes/input/shape.h"
#include "util/error.h"

struct npy {
    const struct element_type *type;
    struct shape shape; // dense, by row or by column
    size_t data;        // the offset of the elements
};

// Parses a whole file. STATUS_USAGE if it is no .npy file, or holds what no buffer can: structs, objects, texts,
// complex numbers, big-endian numbers, no elements, more than RANK_MAX dimensions, or fewer elements than its shape
// says.
enum status npy_parse(const char *name, const unsigned char *bytes, size_t count, struct npy *npy, struct error *error);

enum {
    NPY_HEADER_MAX = 512
};

// Writes the header of an array with dense rows; returns its bytes.
size_t npy_header(char header[NPY_HEADER_MAX], const struct element_type *type, const struct shape *shape);

#endif
