#include "tools/lanes/layout/name.h"

#include <stdio.h>

void layout_name(const struct layout *layout, char name[LAYOUT_NAME]) {
    if (layout->bits) {
        snprintf(name, LAYOUT_NAME, "Swizzle<%u,%u,%d>", layout->bits, layout->base, layout->shift);
    } else if (layout->padding) {
        snprintf(name, LAYOUT_NAME, "padding %u", layout->padding);
    } else {
        snprintf(name, LAYOUT_NAME, "as it is");
    }
}

// The bits of the index that are a column's number; 32 if rows are no power of two.
static uint32_t column_bits(const struct tile *tile) {
    return tile->columns & (tile->columns - 1) ? 32 : (uint32_t)__builtin_ctz(tile->columns);
}

bool layout_triton_names(const struct layout *layout, struct triton_names *names) {
    const uint32_t columns = column_bits(&layout->tile), source = layout_source_bit(layout);
    if (!layout->bits || source < columns || layout_target_bit(layout) + layout->bits > columns) {
        return false;
    }
    *names = (struct triton_names){.vec = UINT32_C(1) << layout->base,
                                   .per_phase = UINT32_C(1) << (source - columns),
                                   .max_phase = UINT32_C(1) << layout->bits};
    return true;
}

// The bits of `from` that the mask takes after `down`, moved to `up`: "(row >> 2 & 7) << 3".
static void print_moved(char *text, size_t size, const char *from, uint32_t down, uint32_t mask, uint32_t up) {
    char shift[16] = "";
    if (down) {
        snprintf(shift, sizeof shift, " >> %u", down);
    }
    if (up) {
        snprintf(text, size, "((%s%s & %u) << %u)", from, shift, mask, up);
    } else {
        snprintf(text, size, "(%s%s & %u)", from, shift, mask);
    }
}

void layout_index(const struct layout *layout, char text[LAYOUT_INDEX]) {
    const uint32_t columns = layout->tile.columns, mask = (UINT32_C(1) << layout->bits) - 1;
    const uint32_t source = layout_source_bit(layout), target = layout_target_bit(layout);
    char plain[32], moved[64];
    struct triton_names names;
    if (!layout->bits) {
        snprintf(text, LAYOUT_INDEX, "row * %u + column", columns + layout->padding);
    } else if (layout_triton_names(layout, &names)) {
        print_moved(moved, sizeof moved, "row", source - column_bits(&layout->tile), mask, target);
        snprintf(text, LAYOUT_INDEX, "row * %u + (column ^ %s)", columns, moved);
    } else {
        snprintf(plain, sizeof plain, "(row * %u + column)", columns);
        print_moved(moved, sizeof moved, plain, source, mask, target);
        snprintf(text, LAYOUT_INDEX, "%s ^ %s", plain, moved);
    }
}
