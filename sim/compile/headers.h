// The headers that translations include.
#ifndef SIM_COMPILE_HEADERS_H
#define SIM_COMPILE_HEADERS_H

#include "device/launch.h"

extern const struct kernel_header sim_translation_headers[]; // the last has no name

#endif
