// The sum of the vendor's library (CUB, hipCUB), which a user would call. It is a separate plug-in (plugin/library.cu)
// that is built where nvcc or hipcc is, and loaded when a run asks for it.
#ifndef REDUCE_REDUCE_LIBRARY_H
#define REDUCE_REDUCE_LIBRARY_H

#include "device/device.h"
#include "reduce/reduce_numbers.h"

// A plug-in that is loaded. It stays loaded until the program ends.
struct reduce_library {
    const char *name;     // "CUB"
    int (*version)(void); // major * 100000 + minor * 100 + patch
    // See plugin/library.cu. It returns NULL, or what went wrong.
    const char *(*sum)(int type, const void *in, void *sum, uint64_t elements, void *scratch, size_t *bytes,
                       void *stream);
};

// Loads the plug-in for a backend ("cuda", "hip") of which a device is open. STATUS_NO_DEVICE, with the reason, where
// there is none, or where it does not work with the driver.
enum status reduce_library_open(const char *backend, struct reduce_library *library, struct error *error);

// Bytes of device memory that the library needs to sum so many numbers.
enum status reduce_library_scratch(const struct reduce_library *library, enum reduce_type type, uint64_t elements,
                                   size_t *bytes, struct error *error);

// Sums on the device's default stream, without waiting. in, sum and scratch are device addresses.
enum status reduce_library_sum(const struct reduce_library *library, struct device *device, enum reduce_type type,
                               uint64_t in, uint64_t sum, uint64_t elements, uint64_t scratch, size_t scratch_bytes,
                               struct error *error);

// For --list: which libraries there are, "CUB 3.0.1", or why there is none.
void reduce_library_describe(char *text, size_t size);

#endif
