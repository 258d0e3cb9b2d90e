// Arrays in NumPy's files: types of elements, shapes, reading and writing.
#ifndef TOOLS_LANES_INPUT_NPY_H
#define TOOLS_LANES_INPUT_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/launch.h"
#include "sim/ptx/kernel/tensor_map.h"
#include "util/error.h"

// ---- Elements ----

// The types of numbers and of the elements of buffers, as --arg names them.

enum element_kind {
    ELEMENT_SIGNED,
    ELEMENT_UNSIGNED,
    ELEMENT_REAL,
    ELEMENT_HALF,    // IEEE's 16 bits
    ELEMENT_BFLOAT16 // the upper half of a float
};

struct element_type {
    const char *name;  // "float"
    const char *numpy; // "<f4"; the first type with this code is the one that a .npy file has
    size_t bytes;
    enum element_kind kind;
    enum argument_type argument; // of a number that is passed by value
    enum tensor_type tensor;     // of a tensor map over them
};

// NULL if there is no such type. The text ends after `length` characters.
const struct element_type *element_type_named(const char *name, size_t length);

static inline bool element_is_integer(const struct element_type *type) {
    return type->kind == ELEMENT_SIGNED || type->kind == ELEMENT_UNSIGNED;
}

// A number, as written on the command line or computed. Integers of all types fit exactly.
struct number {
    uint64_t integer; // of an integer type, in two's complement
    double real;      // of another type
};

// Parses the whole text; false if it is no number, or none that the type can hold.
bool number_parse(struct number *number, const struct element_type *type, const char *text);

// Stores the number at an element; an integer loses its upper bits.
void element_store(const struct element_type *type, void *element, const struct number *number);

// ---- Shapes ----

// The shape of a buffer: sizes, and strides in elements.

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

// ---- Files ----

// NumPy's .npy files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

struct npy {
    const struct element_type *type;
    struct shape shape; // dense, by row or by column
    size_t data;        // the offset of the elements
};

// Parses a whole file. STATUS_USAGE if it is no .npy file, or holds what no buffer can: structs, objects, texts,
// complex numbers, big-endian numbers, no elements, more than RANK_MAX dimensions, a key twice, or fewer or more
// bytes than its shape says.
enum status npy_parse(const char *name, const unsigned char *bytes, size_t count, struct npy *npy, struct error *error);

enum {
    NPY_HEADER_MAX = 512
};

// Writes the header of an array with dense rows; returns its bytes.
size_t npy_header(char header[NPY_HEADER_MAX], const struct element_type *type, const struct shape *shape);

#endif
