// Pieces of a large memory, read one after the other: the next one stands a row further on, and behind the last row the
// next column begins. So many pieces stand at one distance, however far, and none is read twice. Pure numbers.
#ifndef LEVELS_PIECES_H
#define LEVELS_PIECES_H

#include <stdint.h>

struct pieces {
    uint64_t count;
    uint64_t rows, row_bytes, piece_bytes;
};

// Of memory_bytes, as many as bring fetched_bytes from memory, where a fetch brings fetch_bytes or more.
struct pieces pieces_make(uint64_t memory_bytes, uint64_t fetched_bytes, uint64_t fetch_bytes, uint64_t row_bytes,
                          uint64_t piece_bytes);

uint64_t pieces_offset(const struct pieces *pieces, uint64_t piece);

#endif
