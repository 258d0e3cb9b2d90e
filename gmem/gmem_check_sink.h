// Checks the checksums or sums of kernels without a destination.
#ifndef GMEM_GMEM_CHECK_SINK_H
#define GMEM_GMEM_CHECK_SINK_H

#include <stdbool.h>

#include "bench/bench_device.h"
#include "gmem/gmem_expected.h"

// Sets *right to whether their total is that of the sources' elements, or on a simulated device of the elements of the
// blocks that ran. A GPU recomputes the total itself; for other devices the host does.
enum status gmem_check_sink(struct bench_device *b, const struct gmem_result *result, bool *right, struct error *error);

// The expected result of one block. Returns false if it has no element.
bool gmem_block_result(const struct gmem_result *result, uint64_t block, struct gmem_result *of_block);

#endif
