// Checks that standard output has arrived, because its disk may be full, or it may be closed.
#ifndef UTIL_STANDARD_OUTPUT_H
#define UTIL_STANDARD_OUTPUT_H

#include "util/error.h"

// Writes what is still in the buffer. STATUS_FAILED if this, or any write before it, failed.
enum status standard_output_finish(struct error *error);

#endif
