// The types of numbers and of the elements of buffers, as --arg names them.
#ifndef TOOLS_LANES_INPUT_ELEMENT_H
#define TOOLS_LANES_INPUT_ELEMENT_H

#include <stdbool.h>

#include "device/launch.h"

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
};

// NULL if there is no such type. The text ends after `length` characters.
const struct element_type *element_type_named(const char *name, size_t length);
const struct element_type *element_type_of_numpy(const char *code);
// By its place in the table, as element_type_index gives it.
const struct element_type *element_type_at(size_t index);
size_t element_type_index(const struct element_type *type);

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

#endif
