// Atomic additions: what differs from elements that lie one stride apart.
#ifndef GMEM_GMEM_ATOMIC_H
#define GMEM_GMEM_ATOMIC_H

#include "gmem/gmem_buffers.h"

extern const struct gmem_family gmem_atomic;

// Lays the layout's elements on targets that span so many bytes at most, a power of two of them; 0: each on its own.
void gmem_atomic_set_targets(struct gmem_layout *layout, uint64_t window_bytes);

// Refuses what cannot be checked: a float that counts further than its bits tell apart.
enum status gmem_atomic_check(const struct gmem_layout *layout, struct error *error);

#endif
