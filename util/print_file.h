// Prints a whole file, or the same to standard output.
#ifndef UTIL_PRINT_FILE_H
#define UTIL_PRINT_FILE_H

#include <stdio.h>

#include "util/error.h"

// `print` writes the text to the stream; a path of "-" stands for standard output, NULL for nothing to do. The file
// appears under its name only once it is complete (util/file_write.h).
enum status print_file(const char *path, void (*print)(FILE *out, const void *context), const void *context,
                       struct error *error);

#endif
