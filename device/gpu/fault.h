// What a GPU's compiler made of the kernels of this session: measurements are repeated in rounds, and compiling a
// kernel takes longer than measuring it.
#ifndef DEVICE_GPU_FAULT_H
#define DEVICE_GPU_FAULT_H

#include "device/gpu/compile.h"
#include "device/gpu/driver.h"

struct cached_code;

struct code_cache {
    struct cached_code *codes;
    size_t count;
};

// gpu_compile, unless the same text was compiled with the same headers and constants before. All kernels of a cache are
// compiled for one arch. The code stays the cache's.
enum status code_cache_compile(struct code_cache *cache, const struct gpu_compiler *compiler,
                               const struct kernel_request *request, const char *arch, uint32_t warp_width,
                               const struct gpu_code **code, struct error *error);

void code_cache_destroy(struct code_cache *cache);

// ---- The device ----

enum {
    GPU_ORDINALS_MAX = 64
};

// The outcome of a request for access to another device's memory, kept because a driver refuses a second request.
struct gpu_reach {
    bool asked;
    int result; // of the driver
};

struct gpu_buffer {
    uint64_t address, bytes;
};

struct gpu_device {
    struct device base; // the first member, so that a struct device * of this backend points to a struct gpu_device
    const struct gpu_driver *driver;
    struct gpu_context context;
    void *stream;    // the default stream
    char target[64]; // the compiler's name of the arch: "sm_90", "gfx90a:sramecc+:xnack-"
    struct code_cache code_cache;
    struct gpu_buffer *buffers; // that are allocated
    size_t buffer_count;
    struct gpu_reach reached[GPU_ORDINALS_MAX]; // the other devices' memory, by their ordinals
};

static inline struct gpu_device *gpu_of(struct device *device) {
    return (struct gpu_device *)device;
}

static inline int gpu_enter(const struct gpu_device *device) {
    return device->driver->enter(&device->context);
}

// Turns a driver's result into an error.

// The driver's description of a fault: "NAME (text)", or only the name if the text says no more. Returns words.
const char *gpu_error_words(const struct gpu_driver *driver, int result, char words[DEVICE_TEXT]);

// Returns STATUS_FAILED with "cuda:0: WHAT failed with NAME (text): what to do".
enum status gpu_fault(const struct gpu_driver *driver, const char *spec, int result, const char *what,
                      struct error *error);

// The same with other advice, unless memory ran out.
enum status gpu_fault_advising(const struct gpu_driver *driver, const char *spec, int result, const char *what,
                               const char *advice, struct error *error);

// Returns STATUS_OK if the result is success.
enum status gpu_check(const struct gpu_device *device, int result, const char *what, struct error *error);

// The status of a call of the device's driver, for which this thread enters the device first. Where it cannot, the call
// is not made.
#define GPU_CALL(device, call, what, error)                                                                            \
    (gpu_check(device, gpu_enter(device), what, error) == STATUS_OK ? gpu_check(device, call, what, error)             \
                                                                    : STATUS_FAILED)

#endif
