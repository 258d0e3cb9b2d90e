// Shows which layouts of a tile were found best, for people and as JSON.
#ifndef TOOLS_LANES_LAYOUT_SHOW_LAYOUTS_H
#define TOOLS_LANES_LAYOUT_SHOW_LAYOUTS_H

#include <stddef.h>
#include <stdio.h>

#include "model/layout.h"
#include "tools/lanes/layout/search.h"

// ---- Names of layouts ----

// A layout's names, and its index function.

enum {
    LAYOUT_NAME = 48,
    LAYOUT_INDEX = 128
};

// "as it is", "padding 1", "Swizzle<3,3,3>": CuTe's name, over elements.
void layout_name(const struct layout *layout, char name[LAYOUT_NAME]);

// The place of an element as an expression of C over `row` and `column`, counted in elements.
void layout_index(const struct layout *layout, char text[LAYOUT_INDEX]);

// ---- The answer ----

// The best swizzle, the best padding and the tile as it is, and the proof that no other layout is better.
void layouts_print(FILE *file, const struct layout_search *search);

// All layouts of a struct layout_search, as print_file (util/file.h) calls it.
void layouts_write_json(FILE *file, const void *search);

#endif
