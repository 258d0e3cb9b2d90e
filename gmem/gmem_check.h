// Checks gmem's results: every element, and the gaps between them.
#ifndef GMEM_GMEM_CHECK_H
#define GMEM_GMEM_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/bench_device.h"
#include "gmem/gmem_layout.h"

// ---- What each element must be ----

enum {
    GMEM_POISON = 0xA5
};

struct gmem_result {
    struct gmem_layout layout;
    uint64_t seed;                      // of the sources' bytes, and of the values written by a kernel without a source
    uint64_t sources[GMEM_SOURCES_MAX]; // device addresses without the offset
    uint64_t destination;               // poisoned as a whole before the launch
    uint64_t sink;                      // checksums or sums instead of a destination
    uint64_t sink_bytes;
    uint64_t elements_first, elements_run; // the first that the launch reaches, and the one after the last
    uint64_t block_elements, grid;         // elements of a block, and blocks
};

// Word i of this source holds (mix64(gmem_source_seed(seed, number) + i) & keep) | set.
uint64_t gmem_source_seed(uint64_t seed, uint32_t number);
uint64_t gmem_source_keep(const struct gmem_layout *layout);
uint64_t gmem_source_set(const struct gmem_layout *layout);

// Counts the wrong bytes in a piece of the destination that begins `first` bytes after the start of the first element.
// first and count are multiples of the width. A piece may begin and end within a gap.
uint64_t gmem_wrong_bytes(const struct gmem_result *result, const uint8_t *bytes, uint64_t first, uint64_t count);

// The expected xor of the checksums: the xor of all elements of the result, folded to 32 bits.
uint32_t gmem_expected_checksum(const struct gmem_result *result);

// The expected sum of the blocks' sums: the sum of all numbers of the result, in fixed point and modulo 2^64.
uint64_t gmem_expected_sum(const struct gmem_result *result);

// ---- The check ----

// Sets *right to whether the launch did what it should. The host recomputes the bytes from the seed. On a GPU kernels
// check everything in place, and the host recomputes a destination's first and last piece.
enum status gmem_check(struct bench_device *bench_device, const struct gmem_result *result, bool *right,
                       struct error *error);

// Launches that are not timed: they prepare data on a GPU or check it there, and count or sum something.
struct gmem_tally {
    const struct kernel_source *source;
    const char *entry;    // its last argument is a 64-bit word, zero at first, to which the threads add
    uint64_t width_bytes; // the kernel's WIDTH
    struct argument arguments[8];
    size_t count;
};

void gmem_tally_add(struct gmem_tally *tally, struct argument argument);

// Runs the kernel and returns the word in *result.
enum status gmem_tally_run(struct bench_device *b, struct gmem_tally *tally, uint64_t *result, struct error *error);

#endif
