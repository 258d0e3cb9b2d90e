// Where the elements of a tile lie in shared memory: row after row, with longer rows, or with a swizzled index.
#ifndef MODEL_LAYOUT_H
#define MODEL_LAYOUT_H

#include <stdint.h>

enum {
    TILE_BYTES_MAX = 256 << 10
};

struct tile {
    uint32_t rows, columns, element_bytes;
};

// Either padding or a swizzle, or neither. A swizzle is CuTe's Swizzle<bits, base, shift> on the index of the element:
// bits [base + shift, base + shift + bits) of the index are xor-ed into bits [base, base + bits). With a negative shift
// the bits from base on are xor-ed into those from base - shift on.
struct layout {
    struct tile tile;
    uint32_t padding; // elements between the end of a row and the next row
    uint32_t bits;    // 0: no swizzle
    uint32_t base;
    int32_t shift;
};

// The place of an element, counted in elements, by its index row * columns + column.
uint32_t layout_place(const struct layout *layout, uint32_t index);

// The memory that the tile takes. A swizzle fills whole runs of the elements that it permutes.
uint32_t layout_bytes(const struct layout *layout);

// The largest power of two, up to 128, such that the pieces of so many bytes into which each row can be cut are aligned
// and in one piece, if the tile itself is aligned.
uint32_t layout_alignment(const struct layout *layout);

// The lowest bit of the index that the swizzle reads, and the lowest that it changes.
uint32_t layout_source_bit(const struct layout *layout);
uint32_t layout_target_bit(const struct layout *layout);

uint32_t tile_bytes(const struct tile *tile);

#endif
