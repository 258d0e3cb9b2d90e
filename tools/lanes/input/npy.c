#include "tools/lanes/input/npy.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/options.h"

// ---- Elements ----

static const struct element_type types[] = {
    {"uchar", "|u1", 1, ELEMENT_UNSIGNED, ARGUMENT_8, TENSOR_U8},
    {"char", "|i1", 1, ELEMENT_SIGNED, ARGUMENT_8, TENSOR_U8},
    {"bool", "|b1", 1, ELEMENT_UNSIGNED, ARGUMENT_8, TENSOR_U8},
    {"ushort", "<u2", 2, ELEMENT_UNSIGNED, ARGUMENT_16, TENSOR_U16},
    {"short", "<i2", 2, ELEMENT_SIGNED, ARGUMENT_16, TENSOR_U16},
    {"half", "<f2", 2, ELEMENT_HALF, ARGUMENT_16, TENSOR_F16},
    {"bfloat16", "<u2", 2, ELEMENT_BFLOAT16, ARGUMENT_16, TENSOR_BF16},
    {"int", "<i4", 4, ELEMENT_SIGNED, ARGUMENT_I32, TENSOR_S32},
    {"uint", "<u4", 4, ELEMENT_UNSIGNED, ARGUMENT_U32, TENSOR_U32},
    {"long", "<i8", 8, ELEMENT_SIGNED, ARGUMENT_I64, TENSOR_S64},
    {"ulong", "<u8", 8, ELEMENT_UNSIGNED, ARGUMENT_U64, TENSOR_U64},
    {"float", "<f4", 4, ELEMENT_REAL, ARGUMENT_F32, TENSOR_F32},
    {"double", "<f8", 8, ELEMENT_REAL, ARGUMENT_F64, TENSOR_F64},
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

static const struct element_type *type_of_numpy(const char *code) {
    for (size_t i = 0; i < TYPES; i++) {
        if (strcmp(types[i].numpy, code) == 0) {
            return &types[i];
        }
    }
    return NULL;
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

// ---- Shapes ----

static const uint64_t most_elements = UINT64_C(1) << 40;
static const uint64_t most_that_overlap = UINT64_C(1) << 32; // each of which is written in turn

// Parses numbers with an x between them up to `end`; returns how many there are, or 0.
static size_t parse_list(uint64_t numbers[RANK_MAX], const char *text, const char *end, uint64_t least) {
    size_t count = 0;
    while (count < RANK_MAX) {
        char number[32] = "";
        const size_t length = strcspn(text, "x@");
        if (text + length > end || length >= sizeof number) {
            return 0;
        }
        memcpy(number, text, length);
        if (parse_count(&numbers[count++], "--arg", number, least, most_elements, NULL) != STATUS_OK) {
            return 0;
        }
        text += length;
        if (text == end) {
            return count;
        }
        text++;
    }
    return 0;
}

// a * b, or a number beyond all limits.
static uint64_t product(uint64_t a, uint64_t b) {
    return b && a > most_elements / b ? most_elements + 1 : a * b;
}

uint64_t shape_elements(const struct shape *shape) {
    uint64_t elements = 1;
    for (size_t i = 0; i < shape->rank; i++) {
        elements = product(elements, shape->size[i]);
    }
    return elements;
}

uint64_t shape_extent(const struct shape *shape) {
    uint64_t last = 0;
    for (size_t i = 0; i < shape->rank; i++) {
        last += product(shape->size[i] - 1, shape->stride[i]);
    }
    return last + 1;
}

void shape_set_dense(struct shape *shape, bool by_column) {
    uint64_t stride = 1;
    for (size_t i = 0; i < shape->rank; i++) {
        const size_t at = by_column ? i : shape->rank - 1 - i;
        shape->stride[at] = stride;
        stride = product(stride, shape->size[at]);
    }
}

bool shape_parse(struct shape *shape, const char *text) {
    const char *end = text + strlen(text), *strides = strchr(text, '@');
    *shape = (struct shape){0};
    shape->rank = parse_list(shape->size, text, strides ? strides : end, 1);
    if (!shape->rank) {
        return false;
    }
    shape_set_dense(shape, false);
    if (strides && parse_list(shape->stride, strides + 1, end, 0) != shape->rank) {
        return false;
    }
    const uint64_t elements = shape_elements(shape), extent = shape_extent(shape);
    return elements <= most_elements && extent <= most_elements &&
           (elements <= extent || elements <= most_that_overlap);
}

uint64_t shape_place(const struct shape *shape, uint64_t i) {
    uint64_t place = 0;
    for (size_t dimension = shape->rank; dimension-- > 0; i /= shape->size[dimension]) {
        place += i % shape->size[dimension] * shape->stride[dimension];
    }
    return place;
}

// ---- Files ----

static const char magic[] = "\x93NUMPY";

enum {
    MAGIC_BYTES = 6,
    CODE_TEXT = 16,
    ALIGNMENT = 64 // of the elements in the file
};

// These take a piece of the header's text, which is a literal of Python, and move *at past it.

static bool take(const char **at, const char *word) {
    *at += strspn(*at, " \t\n\v\f\r");
    const bool found = strncmp(*at, word, strlen(word)) == 0;
    *at += found ? strlen(word) : 0;
    return found;
}

static bool take_string(const char **at, char text[CODE_TEXT]) {
    const char *quote = take(at, "'") ? "'" : "\"";
    if (*quote == '"' && !take(at, quote)) {
        return false;
    }
    const size_t length = strcspn(*at, quote);
    snprintf(text, CODE_TEXT, "%.*s", (int)length, *at);
    *at += length;
    return length < CODE_TEXT && take(at, quote);
}

static bool take_size(const char **at, uint64_t *size) {
    char *end;
    take(at, ""); // blanks
    if (!isdigit((unsigned char)**at)) {
        return false;
    }
    errno = 0;
    *size = strtoull(*at, &end, 10);
    *at = end;
    return !errno;
}

static bool take_shape(const char **at, struct shape *shape) {
    *shape = (struct shape){0};
    if (!take(at, "(")) {
        return false;
    }
    while (!take(at, ")")) {
        if (shape->rank == RANK_MAX || !take_size(at, &shape->size[shape->rank++])) {
            return false;
        }
        if (!take(at, ",")) {
            return take(at, ")");
        }
    }
    return true;
}

// What the header says. Each key stands in it once.
struct header {
    char code[CODE_TEXT];
    bool has_code, has_order, by_column, has_shape;
    struct shape shape;
};

static bool take_entry(const char **at, struct header *header) {
    char key[CODE_TEXT];
    if (!take_string(at, key) || !take(at, ":")) {
        return false;
    }
    if (strcmp(key, "descr") == 0) {
        return !header->has_code && (header->has_code = take_string(at, header->code));
    }
    if (strcmp(key, "fortran_order") == 0 && !header->has_order) {
        header->by_column = take(at, "True");
        return header->has_order = header->by_column || take(at, "False");
    }
    return strcmp(key, "shape") == 0 && !header->has_shape && (header->has_shape = take_shape(at, &header->shape));
}

static bool read_header(const char *text, struct header *header) {
    const char *at = text;
    *header = (struct header){0};
    bool goes_on = take(&at, "{"), right = goes_on;
    while (right && goes_on && !take(&at, "}")) {
        right = take_entry(&at, header);
        goes_on = take(&at, ",");
        right = right && (goes_on || take(&at, "}"));
    }
    return right && header->has_code && header->has_order && header->has_shape;
}

static enum status refuse(const char *name, const char *what, struct error *error) {
    return error_set(error, STATUS_USAGE, "%.200s: %s: save an array of numbers with numpy.save", name, what);
}

// The length of the header's text, and in *text where it begins; false if the file is no .npy file or ends before it.
static bool find_header(const unsigned char *bytes, size_t count, size_t *text, size_t *length) {
    if (count < MAGIC_BYTES + 6 || memcmp(bytes, magic, MAGIC_BYTES) != 0 || bytes[6] < 1 || bytes[6] > 3) {
        return false;
    }
    *text = bytes[6] == 1 ? 10 : 12;
    *length = bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1) {
        *length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    return *length <= count - *text;
}

enum status npy_parse(const char *name, const unsigned char *bytes, size_t count, struct npy *npy,
                      struct error *error) {
    struct header header;
    size_t text, length;
    if (!find_header(bytes, count, &text, &length)) {
        return refuse(name, "not a .npy file", error);
    }
    char *copy = memory_text((const char *)bytes + text, length);
    const bool is_right = read_header(copy, &header);
    free(copy);
    if (!is_right) {
        return refuse(name, "its header is none that a buffer can have", error);
    }
    header.code[0] = header.code[0] == '=' ? '<' : header.code[0];
    *npy = (struct npy){type_of_numpy(header.code), header.shape, text + length};
    if (!npy->type) {
        return refuse(name, header.code[0] == '>' ? "its numbers are big-endian" : "its elements are no plain numbers",
                      error);
    }
    shape_set_dense(&npy->shape, header.by_column);
    const uint64_t elements = shape_elements(&npy->shape), left = count - npy->data, size = npy->type->bytes;
    const char *fault = elements == 0             ? "it has no elements"
                        : elements > left / size  ? "it ends before its last element"
                        : elements * size != left ? "it goes on behind its last element"
                                                  : NULL;
    return fault ? refuse(name, fault, error) : STATUS_OK;
}

size_t npy_header(char header[NPY_HEADER_MAX], const struct element_type *type, const struct shape *shape) {
    char sizes[RANK_MAX * 24] = "";
    size_t used = 0;
    for (size_t i = 0; i < shape->rank; i++) {
        used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%" PRIu64, i ? ", " : "", shape->size[i]);
    }
    int length =
        snprintf(header + 10, NPY_HEADER_MAX - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s%s), }",
                 type->numpy, sizes, shape->rank == 1 ? "," : "");
    while ((10 + length + 1) % ALIGNMENT) {
        header[10 + length++] = ' ';
    }
    header[10 + length++] = '\n';
    memcpy(header, magic, MAGIC_BYTES);
    header[6] = 1;
    header[7] = 0;
    header[8] = (char)(length & 0xff);
    header[9] = (char)(length >> 8);
    return 10 + (size_t)length;
}
