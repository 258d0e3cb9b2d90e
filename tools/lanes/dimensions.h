// Sizes in up to three dimensions, as written on the command line: "32", "32x8", "8x8x4".
#ifndef TOOLS_LANES_DIMENSIONS_H
#define TOOLS_LANES_DIMENSIONS_H

#include "device/device.h"

enum {
    BLOCK_THREADS_MAX = 1024
};

// Omitted sizes are 1. The product must lie in 1..max. `name` is the option, for the message: "--block".
enum status dimensions_parse(struct dimensions *dimensions, const char *name, const char *text, uint64_t max,
                             struct error *error);

#endif
