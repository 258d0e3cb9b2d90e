// Whether gmem's results are right: every element, and the gaps between them.
#ifndef GMEM_GMEM_CHECK_H
#define GMEM_GMEM_CHECK_H

#include "bench/bench_device.h"
#include "gmem/gmem_layout.h"

enum {
    GMEM_POISON = 0xA5
};

struct gmem_result {
    struct gmem_layout layout;
    uint64_t seed;                      // of the sources' bytes, and of what a kernel without a source writes
    uint64_t sources[GMEM_SOURCES_MAX]; // device addresses, the offset not added
    uint64_t destination;               // poisoned all over before the launch
    uint64_t sink;                      // checksums or sums, in place of a destination
    uint64_t sink_bytes;
    uint64_t elements_first, elements_run; // those that were reached begin and end here
    uint64_t block_elements, grid;         // of a block; blocks
};

// Word i of the source of this number holds (mix64(gmem_source_seed(seed, number) + i) & keep) | set.
uint64_t gmem_source_seed(uint64_t seed, uint32_t number);
uint64_t gmem_source_keep(const struct gmem_layout *layout);
uint64_t gmem_source_set(const struct gmem_layout *layout);

// *right: whether the launch did what it should. Bytes are recomputed on the host from the seed. On a GPU the variant's
// check kernel, where it has one, compares everything in place, and the host recomputes the first and the last piece.
enum status gmem_check(struct bench_device *bench_device, const struct gmem_result *result, bool *right,
                       struct error *error);

// How many bytes are wrong in a piece of the destination that begins `first` bytes behind the first element.
uint64_t gmem_wrong_bytes(const struct gmem_result *result, const uint8_t *bytes, uint64_t first, uint64_t count);

// The xor of all elements of the result, folded to 32 bits: what the checksums must give.
uint32_t gmem_expected_checksum(const struct gmem_result *result);

// The sum of all numbers of the result, in fixed point and modulo 2^64: what the blocks' sums must give.
uint64_t gmem_expected_sum(const struct gmem_result *result);

#endif
