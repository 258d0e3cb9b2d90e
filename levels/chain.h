// A cycle through memory that a chase follows: each element holds the address of the next. Host and kernel compute the
// same addresses from the seed, so the end of a chase can be checked without reading the chain.
#ifndef LEVELS_CHAIN_H
#define LEVELS_CHAIN_H

#include <stdint.h>

struct chain {
    uint64_t elements; // visits in one turn
    // The chain visits all elements of a page in random order before the next page.
    uint64_t page_elements;
    uint64_t line_bytes; // distance between neighbours in memory
    // Element p is shifted by p times this, modulo line_bytes, so that the chain uses all sets of the caches.
    uint64_t stagger_bytes;
    uint64_t step;       // elements from one visit to the next, modulo their number; 0: in random order
    uint64_t pair_bytes; // if not 0, each element is visited twice, the second time this many bytes further on
    uint64_t seed;
};

// The largest chain of whole pages that fits into the footprint. With page_bytes 0 the footprint is one page.
struct chain chain_make(uint64_t footprint_bytes, uint64_t line_bytes, uint64_t page_bytes, uint64_t seed);

// The same with a constant step of more than half the elements, so that a store's address needs no load.
struct chain chain_make_stepped(uint64_t footprint_bytes, uint64_t line_bytes);

// A chain of pairs: pairs are line_bytes apart, and the second element of a pair is pair_bytes after the first.
struct chain chain_make_pairs(uint64_t pairs, uint64_t line_bytes, uint64_t pair_bytes, uint64_t seed);

// Bytes from the chain's start to the element of visit number `visit` (modulo the elements).
uint64_t chain_offset(const struct chain *chain, uint64_t visit);

// The bytes that the chain spans.
uint64_t chain_bytes(const struct chain *chain);

// Bits of an element's index within its page; an argument of the kernel.
uint32_t chain_page_bits(const struct chain *chain);

// Pieces of a large memory, read in sequence. The next piece is one row further on, and the next column follows the
// last row. So any number of pieces can be the same distance apart, and none is read twice. This file only computes.

struct pieces {
    uint64_t count;
    uint64_t rows, row_bytes, piece_bytes;
};

// As many pieces of memory_bytes as fetch fetched_bytes from memory, where each fetch has at least fetch_bytes.
struct pieces pieces_make(uint64_t memory_bytes, uint64_t fetched_bytes, uint64_t fetch_bytes, uint64_t row_bytes,
                          uint64_t piece_bytes);

uint64_t pieces_offset(const struct pieces *pieces, uint64_t piece);

#endif
