// The headers that translations include.
#ifndef DEVICE_SIM_PTX_HEADERS_H
#define DEVICE_SIM_PTX_HEADERS_H

#include "device/launch.h"

extern const struct kernel_header ptx_headers[]; // the last has no name

#endif
