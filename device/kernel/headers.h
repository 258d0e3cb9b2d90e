// The headers of kernels, for compilers that do not find them as files.
#ifndef DEVICE_KERNEL_HEADERS_H
#define DEVICE_KERNEL_HEADERS_H

#include "device/launch.h"

// Those of the dialect, and those that clang gets in place of CUDA's and HIP's. The last has no name.
extern const struct kernel_header kernel_headers[], clang_headers[];

#endif
