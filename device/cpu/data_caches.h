// The data caches of this machine's processor, from Linux.
#ifndef DEVICE_CPU_DATA_CACHES_H
#define DEVICE_CPU_DATA_CACHES_H

#include <stddef.h>

#include "device/device_info.h"

// Describes the caches of the first processor that this process may use, from the nearest on; returns their number.
size_t cpu_data_caches(struct data_cache caches[DATA_CACHES_MAX]);

#endif
