// Pieces of a large memory, read in sequence. The next piece is one row further on, and the next column follows the
// last row. So any number of pieces can be the same distance apart, and none is read twice. This file only computes.
#ifndef LEVELS_PIECES_H
#define LEVELS_PIECES_H

#include <stdint.h>

struct pieces {
    uint64_t count;
    uint64_t rows, row_bytes, piece_bytes;
};

// As many pieces of memory_bytes as fetch fetched_bytes from memory, where each fetch has at least fetch_bytes.
struct pieces pieces_make(uint64_t memory_bytes, uint64_t fetched_bytes, uint64_t fetch_bytes, uint64_t row_bytes,
                          uint64_t piece_bytes);

uint64_t pieces_offset(const struct pieces *pieces, uint64_t piece);

#endif
