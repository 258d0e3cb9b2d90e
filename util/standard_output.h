// Standard output in place of a file. Its disk may be full, or it may be closed.
#ifndef UTIL_STANDARD_OUTPUT_H
#define UTIL_STANDARD_OUTPUT_H

#include <stdbool.h>

#include "util/error.h"

// Whether this path of an option stands for standard output: "-". NULL does not.
bool standard_output_is(const char *path);

// Writes what is still in the buffer. STATUS_FAILED if this, or any write before it, failed.
enum status standard_output_finish(struct error *error);

#endif
