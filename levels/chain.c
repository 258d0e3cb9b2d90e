#include "levels/chain.h"
#include "util/whole.h"

struct chain chain_make(uint64_t footprint_bytes, uint64_t line_bytes, uint64_t page_bytes, uint64_t seed) {
    struct chain chain = {.elements = footprint_bytes / line_bytes, .line_bytes = line_bytes, .seed = seed};
    const uint64_t page_elements = page_bytes / line_bytes;
    if (page_elements == 0 || page_elements >= chain.elements) {
        chain.page_elements = chain.elements;
    } else {
        chain.page_elements = page_elements;
        chain.elements -= chain.elements % page_elements;
    }
    return chain;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    return b == 0 ? a : common_divisor(b, a % b);
}

struct chain chain_make_stepped(uint64_t footprint_bytes, uint64_t line_bytes) {
    struct chain chain = chain_make(footprint_bytes, line_bytes, 0, 0);
    // Near the golden ratio, so that neighbours are visited far apart in time.
    chain.step = chain.elements - chain.elements / 8 * 3;
    while (common_divisor(chain.step, chain.elements) > 1) {
        chain.step++;
    }
    return chain;
}

struct chain chain_make_pairs(uint64_t pairs, uint64_t line_bytes, uint64_t pair_bytes, uint64_t seed) {
    return (struct chain){.elements = 2 * pairs,
                          .page_elements = pairs,
                          .line_bytes = line_bytes,
                          .pair_bytes = pair_bytes,
                          .seed = seed};
}

uint32_t chain_page_bits(const struct chain *chain) {
    return chain->page_elements > 1 ? 64 - (uint32_t)__builtin_clzll(chain->page_elements - 1) : 0;
}

// A bijection of 0..count-1, which levels.cu repeats. Each round is invertible on numbers of `bits` bits; a result that
// is not below count is permuted again.
static uint64_t permute(uint64_t value, uint64_t count, uint32_t bits, uint64_t key) {
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    do {
        for (int round = 0; round < 3; round++) {
            value = (value * UINT64_C(0x9e3779b97f4a7c15) + key) & mask;
            value ^= value >> ((bits + 1) / 2);
        }
    } while (value >= count);
    return value;
}

uint64_t chain_offset(const struct chain *chain, uint64_t visit) {
    const uint64_t at = visit % chain->elements;
    if (chain->step) {
        return at * chain->step % chain->elements * chain->line_bytes;
    }
    const uint64_t index = chain->pair_bytes ? at / 2 : at;
    const uint64_t page = index / chain->page_elements, inside = index % chain->page_elements;
    const uint64_t second = at % 2 ? chain->pair_bytes : 0;
    const uint64_t element =
        page * chain->page_elements + permute(inside, chain->page_elements, chain_page_bits(chain), chain->seed + page);
    return element * chain->line_bytes + element * chain->stagger_bytes % chain->line_bytes + second;
}

uint64_t chain_bytes(const struct chain *chain) {
    return chain->elements / (chain->pair_bytes ? 2 : 1) * chain->line_bytes;
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
