// A GPU as a device: device.h's operations over a vendor's driver (driver.h).
#ifndef DEVICE_GPU_GPU_H
#define DEVICE_GPU_GPU_H

#include "device/gpu/driver.h"

// Count and open of struct backend, for both vendors.
enum status gpu_count(const struct gpu_driver *driver, uint32_t *count, struct error *error);
enum status gpu_open(const struct gpu_driver *driver, const char *selector, struct device **opened,
                     struct error *error);

// Searched places of struct backend, for the first library that did not load.
char *gpu_places(const struct gpu_driver *driver);

#endif
