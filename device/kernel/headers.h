// The headers of the kernel dialect, for compilers that do not find them as files.
#ifndef DEVICE_KERNEL_HEADERS_H
#define DEVICE_KERNEL_HEADERS_H

#include "device/launch.h"

extern const struct kernel_header kernel_headers[]; // the last has no name

#endif
