// A cycle through memory that a chase follows: each element holds the address of the next. Host and kernel compute the
// same places from the seed, so the end of a chase can be checked without reading the chain.
#ifndef LEVELS_CHAIN_H
#define LEVELS_CHAIN_H

#include <stdint.h>

struct chain {
    uint64_t elements;      // visits of one turn
    uint64_t page_elements; // visited in random order before the next page; = elements: all of them at random
    uint64_t line_bytes;    // from an element's place to the next one's
    uint64_t stagger_bytes; // place p is moved by p times so many, modulo line_bytes: caches' sets share the load
    uint64_t step;          // places from a visit to the next, modulo the elements; 0: in random order
    uint64_t pair_bytes;    // each place is visited twice, the second time so many bytes further on; 0: once
    uint64_t seed;
};

// The largest chain that fits into the footprint. page_bytes 0: the whole footprint at random. Pages are whole.
struct chain chain_make(uint64_t footprint_bytes, uint64_t line_bytes, uint64_t page_bytes, uint64_t seed);

// The same in even steps of more than half of it, so that an address needs no look into memory.
struct chain chain_make_stepped(uint64_t footprint_bytes, uint64_t line_bytes);

// The same of pairs: so many places, line_bytes apart, and the second of each pair_bytes further on.
struct chain chain_make_pairs(uint64_t places, uint64_t line_bytes, uint64_t pair_bytes, uint64_t seed);

// Bytes from the chain's start to the element that is visited as number `visit` (modulo the elements).
uint64_t chain_offset(const struct chain *chain, uint64_t visit);

// What the chain spans.
uint64_t chain_bytes(const struct chain *chain);

// Bits that number a page's elements; the kernel takes them as an argument.
uint32_t chain_page_bits(const struct chain *chain);

#endif
