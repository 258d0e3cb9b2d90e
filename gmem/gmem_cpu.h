// One element of the CPU's kernels. Every call passes a constant width.
#ifndef GMEM_GMEM_CPU_H
#define GMEM_GMEM_CPU_H

#include <stdint.h>
#include <string.h>

#include "device/device.h"
#include "util/loops.h"
#include "util/random.h"

// An element as a number. The two halves of a 16-byte element are combined by xor.
ALWAYS_INLINE uint64_t load_element(const uint8_t *from, uint32_t width) {
    uint16_t narrow;
    uint32_t word;
    uint64_t halves[2] = {0};
    switch (width) { // each width has a separate load, because a copy into a wider variable would go through memory
    case 1:
        return *from;
    case 2:
        memcpy(&narrow, from, sizeof narrow);
        return narrow;
    case 4:
        memcpy(&word, from, sizeof word);
        return word;
    default:
        memcpy(halves, from, width);
        return halves[0] ^ halves[1];
    }
}

ALWAYS_INLINE void write_element(uint8_t *to, uint64_t position, uint32_t width) {
    const uint64_t low = pattern64(position);
    const uint64_t element[2] = {low, ~low};
    memcpy(to, element, width);
}

// gmem's kernels for the CPU, in C, with the entries, arguments and results of gmem/gmem.cu.
//   stride_copy(source, destination, u64 elements, u64 stride)
//   stride_read(source, sink, u64 elements, u64 stride)          sink: a uint32_t for each slice
//   stride_write(destination, u64 elements, u64 stride, u64 seed)
//   triad(b, c, a, u64 elements, u64 stride)                     as in gmem/numbers.cu, only at stride 1
//   sum(source, sums, u64 elements, u64 stride)                  the same; sums: a uint64_t for each slice
// Constants: WIDTH, 1, 2, 4, 8 or 16 bytes; METHOD, see below; CACHE_BYTES, of the last-level cache.
// launch->grid.x is the number of slices that the elements are split into (device/cpu/slice.h), one for each thread.
// The rest of grid and block has no effect. At stride 1 the kernels use vectors. A read always uses METHOD, the
// others only if they move more than the last-level cache holds. Streaming stores save memory the read of lines that
// are overwritten whole, but not every core executes them well.

native_kernel gmem_stride_copy, gmem_stride_read, gmem_stride_write, gmem_triad, gmem_sum;

enum gmem_operation {
    GMEM_COPY,
    GMEM_READ,
    GMEM_WRITE,
    GMEM_TRIAD,
    GMEM_CPU_OPERATIONS
};

// The methods of an operation at stride 1. gmem_cpu_tune finds the fastest on this machine.
size_t gmem_cpu_methods(enum gmem_operation operation);
const char *gmem_cpu_method_name(enum gmem_operation operation, size_t method);

// ---- The fastest method on this machine ----

struct gmem_cpu_tuning {
    size_t method; // value of the constant METHOD
    double gb_s;   // of its fastest run; 0: there was no trial, so the first method is taken
};

// The times of a method so far.
struct gmem_cpu_record {
    double best_ns, median_ns;
};

// The method that other programs have disturbed least says little about the others, so the fastest runs count: of the
// methods whose fastest run is within 2 % of the best, the one with the lowest median.
size_t gmem_cpu_fastest(const struct gmem_cpu_record *records, size_t count);

// Tries the operations for which `wanted` is true with all threads, in arrays that exceed the caches. This takes about
// a tenth of a second each, and a second or more where other programs disturb it. The other elements of found are kept.
void gmem_cpu_tune(struct device *device, const bool wanted[GMEM_CPU_OPERATIONS],
                   struct gmem_cpu_tuning found[GMEM_CPU_OPERATIONS]);

// Whether a row's bandwidth is so far from what its method reached in the trials that the trials or the row were
// disturbed.
bool gmem_cpu_is_far(const struct gmem_cpu_tuning *tuning, double gb_s);

#endif
