#include "levels/pieces.h"

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

struct pieces pieces_make(uint64_t memory_bytes, uint64_t fetched_bytes, uint64_t fetch_bytes, uint64_t row_bytes,
                          uint64_t piece_bytes) {
    const uint64_t row = larger(row_bytes, piece_bytes);
    const uint64_t rows = larger(1, memory_bytes / row), columns = row / piece_bytes;
    const uint64_t wanted = fetched_bytes / larger(piece_bytes, fetch_bytes);
    return (struct pieces){.count = smaller(larger(1, wanted), rows * columns),
                           .rows = rows,
                           .row_bytes = row,
                           .piece_bytes = piece_bytes};
}

uint64_t pieces_offset(const struct pieces *pieces, uint64_t piece) {
    return piece % pieces->rows * pieces->row_bytes + piece / pieces->rows * pieces->piece_bytes;
}
