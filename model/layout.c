#include "model/layout.h"

enum {
    ALIGNMENT_MAX = 128
};

uint32_t tile_bytes(const struct tile *tile) {
    return tile->rows * tile->columns * tile->element_bytes;
}

uint32_t layout_source_bit(const struct layout *layout) {
    return layout->shift > 0 ? layout->base + (uint32_t)layout->shift : layout->base;
}

uint32_t layout_target_bit(const struct layout *layout) {
    return layout->shift < 0 ? layout->base + (uint32_t)-layout->shift : layout->base;
}

uint32_t layout_place(const struct layout *layout, uint32_t index) {
    if (layout->padding) {
        return index + index / layout->tile.columns * layout->padding;
    }
    const uint32_t mask = (UINT32_C(1) << layout->bits) - 1;
    return index ^ (index >> layout_source_bit(layout) & mask) << layout_target_bit(layout);
}

// The elements that the swizzle permutes among each other.
static uint32_t permuted(const struct layout *layout) {
    const uint32_t source = layout_source_bit(layout), target = layout_target_bit(layout);
    return layout->bits ? UINT32_C(1) << ((source > target ? source : target) + layout->bits) : 1;
}

uint32_t layout_bytes(const struct layout *layout) {
    const uint32_t elements = layout->tile.rows * (layout->tile.columns + layout->padding), run = permuted(layout);
    return (elements + run - 1) / run * run * layout->tile.element_bytes;
}

static uint32_t lowest_bit(uint32_t value) {
    return value & -value;
}

uint32_t layout_alignment(const struct layout *layout) {
    const uint32_t row = lowest_bit((layout->tile.columns + layout->padding) * layout->tile.element_bytes);
    uint32_t alignment = row < ALIGNMENT_MAX ? row : ALIGNMENT_MAX;
    if (layout->bits) {
        const uint32_t source = layout_source_bit(layout), target = layout_target_bit(layout);
        const uint32_t whole = lowest_bit(layout->tile.element_bytes) << (source < target ? source : target);
        alignment = whole < alignment ? whole : alignment;
    }
    return alignment;
}
