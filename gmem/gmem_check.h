// Checks gmem's results: every element, and the gaps between them.
#ifndef GMEM_GMEM_CHECK_H
#define GMEM_GMEM_CHECK_H

#include <stdbool.h>

#include "bench/bench_device.h"
#include "gmem/gmem_expected.h"

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
