// Launches that are not timed: they prepare data on a GPU or check it there, and count or sum something.
#ifndef GMEM_GMEM_TALLY_H
#define GMEM_GMEM_TALLY_H

#include "bench/bench_device.h"

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
