// A GPU as a device: device.h's operations over a vendor's driver (driver.h).
#ifndef DEVICE_GPU_GPU_H
#define DEVICE_GPU_GPU_H

#include "device/gpu/compile.h"
#include "device/gpu/driver.h"

// ---- The device's place on PCI Express ----

// GB/s of data in one direction over that many lanes: 10^9 transfers per second and lane, less the line code.
double pci_peak_gb_s(double gt_s, uint32_t lanes);

// What two devices share on their way to the processor, from their paths under /sys/devices: "PCIe, one switch".
const char *pci_common(const char *path, const char *peer);

// Count and open of struct backend, for both vendors.
enum status gpu_count(const struct gpu_driver *driver, uint32_t *count, struct error *error);
enum status gpu_open(const struct gpu_driver *driver, const char *selector, struct device **opened,
                     struct error *error);

// Searched places of struct backend, for the first library that did not load.
char *gpu_places(const struct gpu_driver *driver);

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

// The driver's handle of a stream; NULL means the device's default stream.
void *gpu_stream(const struct gpu_device *device, struct stream *stream);

// Returns STATUS_FAILED with "cuda:0: WHAT failed with NAME (text): what to do".
enum status gpu_fault(const struct gpu_driver *driver, const char *spec, int result, const char *what,
                      struct error *error);

#endif
