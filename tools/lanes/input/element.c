#include "tools/lanes/input/element.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const struct element_type types[] = {
    {"uchar", "|u1", 1, ELEMENT_UNSIGNED, ARGUMENT_8},     {"char", "|i1", 1, ELEMENT_SIGNED, ARGUMENT_8},
    {"bool", "|b1", 1, ELEMENT_UNSIGNED, ARGUMENT_8},      {"ushort", "<u2", 2, ELEMENT_UNSIGNED, ARGUMENT_16},
    {"short", "<i2", 2, ELEMENT_SIGNED, ARGUMENT_16},      {"half", "<f2", 2, ELEMENT_HALF, ARGUMENT_16},
    {"bfloat16", "<u2", 2, ELEMENT_BFLOAT16, ARGUMENT_16}, {"int", "<i4", 4, ELEMENT_SIGNED, ARGUMENT_I32},
    {"uint", "<u4", 4, ELEMENT_UNSIGNED, ARGUMENT_U32},    {"long", "<i8", 8, ELEMENT_SIGNED, ARGUMENT_I64},
    {"ulong", "<u8", 8, ELEMENT_UNSIGNED, ARGUMENT_U64},   {"float", "<f4", 4, ELEMENT_REAL, ARGUMENT_F32},
    {"double", "<f8", 8, ELEMENT_REAL, ARGUMENT_F64},
};

enum {
    TYPES = sizeof types / sizeof *types
};

const struct element_type *element_type_named(const char *name, size_t length) {
    for (size_t i = 0; i < TYPES; i++) {
        if (strlen(types[i].name) == length && strncmp(types[i].name, name, length) == 0) {
            return &types[i];
        }
    }
    return NULL;
}

const struct element_type *element_type_of_numpy(const char *code) {
    for (size_t i = 0; i < TYPES; i++) {
        if (strcmp(types[i].numpy, code) == 0) {
            return &types[i];
        }
    }
    return NULL;
}

const struct element_type *element_type_at(size_t index) {
    return index < TYPES ? &types[index] : NULL;
}

size_t element_type_index(const struct element_type *type) {
    return (size_t)(type - types);
}

// Whether the type's bits hold the integer, which is negative or not.
static bool holds(const struct element_type *type, uint64_t integer, bool negative) {
    const unsigned bits = (unsigned)(8 * type->bytes) - (type->kind == ELEMENT_SIGNED);
    if (negative) {
        return type->kind == ELEMENT_SIGNED && ~integer >> bits == 0;
    }
    return bits == 64 || integer >> bits == 0;
}

bool number_parse(struct number *number, const struct element_type *type, const char *text) {
    char *end;
    bool fits = true;
    errno = 0;
    *number = (struct number){0};
    if (element_is_integer(type)) {
        const bool negative = strchr(text, '-') != NULL;
        number->integer = negative ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
        fits = holds(type, number->integer, negative && number->integer);
    } else {
        number->real = strtod(text, &end);
    }
    return fits && end != text && !*end && !errno;
}

// The bits of a number of 16 bits, rounded to nearest even. `mantissa` is 10 in IEEE's format and 7 in bfloat16;
// `least` is the exponent of the least normal number.
static uint16_t small_bits(double value, int mantissa, int least) {
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const int infinity = ((1 << (15 - mantissa)) - 1) << mantissa;
    int exponent;
    if (isnan(value)) {
        return 0x7fff;
    }
    if (isinf(value) || value == 0) {
        return (uint16_t)(sign | (value == 0 ? 0 : infinity));
    }
    frexp(value, &exponent);
    exponent = exponent - 1 < least ? least : exponent - 1;
    const double scaled = rint(ldexp(fabs(value), mantissa - exponent));
    const double bits = (double)(exponent - least) * (1 << mantissa) + scaled;
    return (uint16_t)(sign | (bits < infinity ? (int)bits : infinity));
}

void element_store(const struct element_type *type, void *element, const struct number *number) {
    const float single = (float)number->real;
    uint64_t bits = number->integer;
    switch (type->kind) {
    case ELEMENT_REAL:
        memcpy(element, type->bytes == 4 ? (const void *)&single : &number->real, type->bytes);
        return;
    case ELEMENT_HALF:
        bits = small_bits(number->real, 10, -14);
        break;
    case ELEMENT_BFLOAT16:
        bits = small_bits(number->real, 7, -126);
        break;
    case ELEMENT_SIGNED:
    case ELEMENT_UNSIGNED:
        break;
    }
    memcpy(element, &bits, type->bytes); // the low bytes come first on every machine that bankshot runs on
}
