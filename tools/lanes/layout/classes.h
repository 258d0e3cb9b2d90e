// Groups the requests of an access whose passes are the same whatever the padding, or whatever the swizzle, so that one
// of each group stands for all of it.
#ifndef TOOLS_LANES_LAYOUT_CLASSES_H
#define TOOLS_LANES_LAYOUT_CLASSES_H

#include "tools/lanes/layout/tile_access.h"

// Adds a request for each class, whose count is the sum of the class's. Rows of another length move all addresses of a
// request by the same number of bytes as those of the others in its class, up to a multiple of the period
// (shared_memory.h).
enum status classes_of_paddings(const struct tile_requests *requests, const struct tile *tile, uint32_t period,
                                struct tile_requests *classes, struct error *error);

// The same for swizzles, which are linear over xor: where two requests' elements differ by a constant that is xor-ed to
// all of them, so do their places, and such a constant only permutes the banks. linear: so do the addresses, as
// elements and lanes take powers of two of bytes and are aligned. If not, only equal requests are a class.
enum status classes_of_swizzles(const struct tile_requests *requests, bool linear, struct tile_requests *classes,
                                struct error *error);

#endif
