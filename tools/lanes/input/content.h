// What a buffer holds before the first kernel runs.
#ifndef TOOLS_LANES_INPUT_CONTENT_H
#define TOOLS_LANES_INPUT_CONTENT_H

#include "tools/lanes/input/element.h"
#include "tools/lanes/input/shape.h"
#include "util/error.h"

enum content_kind {
    CONTENT_RANDOM,      // from `first` to below `second`
    CONTENT_RANGE,       // first, first + second, first + 2 * second ...
    CONTENT_PERMUTATION, // of 0 ... count - 1
};

struct content {
    enum content_kind kind;
    bool given; // first and second; otherwise 0 and the count, or 0 and 1 for real numbers
    struct number first, second;
};

// Parses random[=LOW,HIGH], range=START,STEP, permutation, zero, index or value=X; false if it is none of these.
bool content_parse(struct content *content, const struct element_type *type, const char *text);

// Writes the elements and leaves what lies between them. The same seed yields the same content everywhere.
enum status content_write(const struct content *content, const struct element_type *type, const struct shape *shape,
                          uint64_t seed, void *buffer, struct error *error);

#endif
