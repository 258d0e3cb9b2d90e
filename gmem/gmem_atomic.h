// gmem's atomic additions for the CPU, in C: the same entries, arguments and results as gmem/atomic.cu.
// Constants: WIDTH, FLOATING. launch->grid.x is the number of slices, one for each thread.
#ifndef GMEM_GMEM_ATOMIC_H
#define GMEM_GMEM_ATOMIC_H

#include "gmem/gmem_measure.h"

native_kernel gmem_atomic_add, gmem_atomic_fetch_add;

// Atomic additions: buffers, arguments and checks.

extern const struct gmem_family gmem_atomic;

// Sets the number of targets: a power of two within that many bytes; 0: one target for each element.
void gmem_atomic_set_targets(struct gmem_layout *layout, uint64_t window_bytes);

// Refuses more additions to one float than it can count.
enum status gmem_atomic_check(const struct gmem_layout *layout, struct error *error);

#endif
