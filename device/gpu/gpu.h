// A GPU as a device: device.h's operations over a vendor's driver (driver.h).
#ifndef DEVICE_GPU_GPU_H
#define DEVICE_GPU_GPU_H

#include "device/gpu/fault.h"

// ---- The device's place on PCI ----

// Devices on PCI Express: their connections to the host and to each other.

// GB/s of data in one direction over that many lanes: 10^9 transfers per second and lane, less the line code.
double pci_peak_gb_s(double gt_s, uint32_t lanes);

// The same from their paths under /sys/devices.
const char *pci_common(const char *path, const char *peer);

// Count and open of struct backend, for both vendors.
enum status gpu_count(const struct gpu_driver *driver, uint32_t *count, struct error *error);
enum status gpu_open(const struct gpu_driver *driver, const char *selector, struct device **opened,
                     struct error *error);

// The driver's handle of a stream; NULL means the device's default stream.
void *gpu_stream(const struct gpu_device *device, const struct stream *stream);

// Searched places of struct backend, for the first library that did not load.
char *gpu_places(const struct gpu_driver *driver);

#endif
