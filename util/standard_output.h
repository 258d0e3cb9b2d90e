// What a program prints on standard output may not arrive: its disk is full, or it is closed.
#ifndef UTIL_STANDARD_OUTPUT_H
#define UTIL_STANDARD_OUTPUT_H

#include "util/error.h"

// Writes what is still in its buffer. STATUS_FAILED if that, or anything before it, did not arrive.
enum status standard_output_finish(struct error *error);

#endif
