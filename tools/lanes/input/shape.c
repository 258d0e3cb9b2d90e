#include "tools/lanes/input/shape.h"

#include <string.h>

#include "util/options.h"

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
