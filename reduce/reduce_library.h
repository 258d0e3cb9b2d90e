// What a user would call instead: the sum of the vendor's library (CUB, hipCUB), a plug-in of its own
// (plugin/library.cu) that is built where nvcc or hipcc is, and loaded when a run asks for it.
#ifndef REDUCE_REDUCE_LIBRARY_H
#define REDUCE_REDUCE_LIBRARY_H

#include "device/device.h"
#include "reduce/reduce_numbers.h"

struct reduce_library;

// Loads the plug-in for a backend ("cuda", "hip") of which a device is open. STATUS_NO_DEVICE, with the reason, where
// there is none, or where it does not work with the driver.
enum status reduce_library_open(const char *backend, struct reduce_library **library, struct error *error);

// Device memory that a sum of so many numbers needs beside them.
enum status reduce_library_scratch(struct reduce_library *library, enum reduce_type type, uint64_t elements,
                                   size_t *bytes, struct error *error);

// Sums on the device's own stream, without waiting: *sum, on the device, becomes the sum.
enum status reduce_library_sum(struct reduce_library *library, struct device *device, enum reduce_type type,
                               uint64_t in, uint64_t sum, uint64_t elements, uint64_t scratch, size_t scratch_bytes,
                               struct error *error);

// For --list: which there are, "CUB 3.0.1", or why there is none.
void reduce_library_describe(char *text, size_t size);

#endif
