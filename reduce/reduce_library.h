// The sum of the vendor's library (CUB, hipCUB), which a user would call. It is a separate plug-in (plugin/library.cu),
// built if nvcc or hipcc is there, and loaded on demand.
#ifndef REDUCE_REDUCE_LIBRARY_H
#define REDUCE_REDUCE_LIBRARY_H

#include "device/device.h"
#include "reduce/reduce_numbers.h"

// A loaded plug-in. It stays loaded until the program ends.
struct reduce_library {
    const char *name;     // "CUB"
    int (*version)(void); // major * 100000 + minor * 100 + patch
    // See plugin/library.cu. Returns NULL, or a description of the fault.
    const char *(*sum)(int type, const void *in, void *sum, uint64_t elements, void *scratch, size_t *bytes,
                       void *stream);
};

// Loads the plug-in for a backend ("cuda", "hip") with an open device. Returns STATUS_NO_DEVICE with the reason if
// there is none, or if it does not work with the driver.
enum status reduce_library_open(const char *backend, struct reduce_library *library, struct error *error);

// Bytes of device memory that the library needs to sum that many numbers.
enum status reduce_library_scratch(const struct reduce_library *library, enum reduce_type type, uint64_t elements,
                                   size_t *bytes, struct error *error);

// Sums on the device's default stream and does not wait. in, sum and scratch are device addresses.
enum status reduce_library_sum(const struct reduce_library *library, struct device *device, enum reduce_type type,
                               uint64_t in, uint64_t sum, uint64_t elements, uint64_t scratch, size_t scratch_bytes,
                               struct error *error);

// For --list: the libraries that are there, "CUB 3.0.1", or why there is none.
void reduce_library_describe(char *text, size_t size);

#endif
