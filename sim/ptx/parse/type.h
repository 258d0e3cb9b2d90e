// PTX's types.
#ifndef SIM_PTX_PARSE_TYPE_H
#define SIM_PTX_PARSE_TYPE_H

#include "sim/ptx/parse/token.h"

// Bits, so that a row of the table of instructions can combine several.
enum ptx_class {
    PTX_CLASS_BITS = 1,
    PTX_CLASS_UNSIGNED = 2,
    PTX_CLASS_SIGNED = 4,
    PTX_CLASS_FLOAT = 8, // f32 and f64
    PTX_CLASS_HALF = 16, // f16 and bf16
    PTX_CLASS_TINY = 32, // formats that only conversions know
    PTX_CLASS_PREDICATE = 64
};

struct ptx_type {
    const char *name;     // "s32"
    enum ptx_class class; // of an element
    uint32_t bytes;
    uint32_t lanes;        // 2: f16x2 and its like
    const char *number;    // the C type in which it is computed
    const char *bits;      // the C type of its bits
    const char *from, *to; // the functions from bits to number and back; "" if a cast is enough
    const char *format;    // a float's format, for rounding; NULL: an integer
};

// NULL: no type has this name.
const struct ptx_type *ptx_type_find(struct ptx_text name);
const struct ptx_type *ptx_type_named(const char *name);

// One lane of a packed type.
const struct ptx_type *ptx_type_element(const struct ptx_type *type);

// The integer type of a class with this many bytes.
const struct ptx_type *ptx_type_of(enum ptx_class class, uint32_t bytes);

#endif
