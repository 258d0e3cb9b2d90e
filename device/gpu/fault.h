// Turns a driver's result into an error.
#ifndef DEVICE_GPU_FAULT_H
#define DEVICE_GPU_FAULT_H

#include "device/gpu/gpu_device.h"

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

#endif
