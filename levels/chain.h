// A cycle through memory that a chase follows: each element holds the address of the next. Host and kernel compute the
// same addresses from the seed, so the end of a chase can be checked without reading the chain.
#ifndef LEVELS_CHAIN_H
#define LEVELS_CHAIN_H

#include <stdint.h>

struct chain {
    uint64_t elements; // visits of one turn
    uint64_t
        page_elements;   // visited in random order before the next page; with all elements in one page, all at random
    uint64_t line_bytes; // from one element to the next in memory
    uint64_t
        stagger_bytes; // element p is moved by p times this, modulo line_bytes, so that the caches' sets share the load
    uint64_t step;     // elements from one visit to the next, modulo their number; 0: in random order
    uint64_t pair_bytes; // each element is visited twice, the second time this many bytes further on; 0: once
    uint64_t seed;
};

// The largest chain of whole pages that fits into the footprint. page_bytes 0: the whole footprint at random.
struct chain chain_make(uint64_t footprint_bytes, uint64_t line_bytes, uint64_t page_bytes, uint64_t seed);

// The same in equal steps of more than half of it, so that an address follows without a load.
struct chain chain_make_stepped(uint64_t footprint_bytes, uint64_t line_bytes);

// The same of pairs: so many places, line_bytes apart, and the second of each pair_bytes further on.
struct chain chain_make_pairs(uint64_t places, uint64_t line_bytes, uint64_t pair_bytes, uint64_t seed);

// Bytes from the chain's start to the element that is visited as number `visit` (modulo the elements).
uint64_t chain_offset(const struct chain *chain, uint64_t visit);

// The bytes that the chain spans.
uint64_t chain_bytes(const struct chain *chain);

// Bits that number a page's elements; the kernel takes them as an argument.
uint32_t chain_page_bits(const struct chain *chain);

#endif
