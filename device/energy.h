// Joules that a device has drawn, by a counter of its own. A counter counts what the device draws when idle, too, and
// changes in steps of some milliseconds.
#ifndef DEVICE_ENERGY_H
#define DEVICE_ENERGY_H

#include "device/device.h"

// Counts up from an unknown moment, until it begins again at 0 (RAPL's do, after minutes). STATUS_NO_DEVICE with the
// reason, and with how to allow it, if the device has no counter that this program may read.
enum status device_energy(struct device *device, double *joules, struct error *error);

// Of the CPU: the sum of RAPL's packages, whose folders are below this one, /sys/class/powercap.
enum status rapl_energy(const char *folder, double *joules, struct error *error);

// Why the device holds its clocks back now: NVML's bits of reasons, 0 for none. False if the device does not tell.
bool device_throttle_reasons(struct device *device, uint64_t *reasons);

// The names of these bits, as nvidia-smi has them: "sw_power_cap+sw_thermal_slowdown", or "none".
void throttle_reasons_format(char *to, size_t size, uint64_t reasons);

#endif
