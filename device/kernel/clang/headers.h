// The headers that clang gets in place of CUDA's and HIP's.
#ifndef DEVICE_KERNEL_CLANG_HEADERS_H
#define DEVICE_KERNEL_CLANG_HEADERS_H

#include "device/launch.h"

extern const struct kernel_header clang_headers[]; // the last has no name

#endif
