// Checks gmem's results: every element, and the gaps between them.
#ifndef GMEM_GMEM_CHECK_H
#define GMEM_GMEM_CHECK_H

#include "bench/bench_device.h"
#include "gmem/gmem_expected.h"

// Sets *right to whether the launch did what it should. The host recomputes the bytes from the seed. On a GPU kernels
// check everything in place, and the host recomputes a destination's first and last piece.
enum status gmem_check(struct bench_device *bench_device, const struct gmem_result *result, bool *right,
                       struct error *error);

#endif
