// The state of a GPU, which the operations of this folder share.
#ifndef DEVICE_GPU_GPU_DEVICE_H
#define DEVICE_GPU_GPU_DEVICE_H

#include "device/gpu/code_cache.h"
#include "device/gpu/driver.h"

enum {
    GPU_ORDINALS_MAX = 64
};

// The outcome of a request for access to another device's memory, kept because a driver refuses a second request.
struct gpu_reach {
    bool asked;
    int result; // of the driver
};

struct gpu_device {
    struct device base; // the first member, so that a struct device * of this backend points to a struct gpu_device
    const struct gpu_driver *driver;
    struct gpu_context context;
    void *stream;    // the default stream
    char target[64]; // the compiler's name of the arch: "sm_90", "gfx90a:sramecc+:xnack-"
    struct code_cache code_cache;
    struct gpu_reach reached[GPU_ORDINALS_MAX]; // the other devices' memory, by their ordinals
};

static inline struct gpu_device *gpu_of(struct device *device) {
    return (struct gpu_device *)device;
}

static inline int gpu_enter(const struct gpu_device *device) {
    return device->driver->enter(&device->context);
}

#endif
