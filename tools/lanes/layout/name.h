// A layout's names, and its index function.
#ifndef TOOLS_LANES_LAYOUT_NAME_H
#define TOOLS_LANES_LAYOUT_NAME_H

#include <stddef.h>

#include "model/layout.h"

enum {
    LAYOUT_NAME = 48,
    LAYOUT_INDEX = 128
};

// "as it is", "padding 1", "Swizzle<3,3,3>": CuTe's name, over elements.
void layout_name(const struct layout *layout, char name[LAYOUT_NAME]);

// The place of an element as an expression of C over `row` and `column`, counted in elements.
void layout_index(const struct layout *layout, char text[LAYOUT_INDEX]);

// What Triton calls the same: it exchanges runs of `vec` elements within a row, by a phase that changes every
// `per_phase` rows and returns after max_phase phases.
struct triton_names {
    uint32_t vec, per_phase, max_phase;
};

// False if Triton has no such swizzle: it swizzles columns by rows only.
bool layout_triton_names(const struct layout *layout, struct triton_names *names);

#endif
