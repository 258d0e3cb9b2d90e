// Checks that run on the GPU itself (gmem_check.cu), because the host would take seconds for gigabytes.
#ifndef GMEM_GMEM_CHECK_DEVICE_H
#define GMEM_GMEM_CHECK_DEVICE_H

#include <stdbool.h>

#include "bench/bench_device.h"
#include "gmem/gmem_expected.h"

// Sets *right to whether all of a destination is right. span is the bytes from the first element's start to the last
// one's end.
enum status gmem_check_destination_on_device(struct bench_device *b, const struct gmem_result *result, uint64_t span,
                                             bool *right, struct error *error);

// The expected total of the checksums or sums: gmem_expected_checksum or gmem_expected_sum of all elements.
enum status gmem_expect_on_device(struct bench_device *b, const struct gmem_result *result, uint64_t *total,
                                  struct error *error);

#endif
