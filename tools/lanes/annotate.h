// Prints a kernel's source with the cost of each line.
#ifndef TOOLS_LANES_ANNOTATE_H
#define TOOLS_LANES_ANNOTATE_H

#include <stdio.h>

#include "tools/lanes/kernel.h"

void annotate_source(FILE *file, const char *path, const char *text, const struct kernel_report *reports, size_t count);

// Prints the same as CSV: a row for each GPU, line and kind of access.
void annotate_csv(FILE *file, const struct kernel_report *reports, size_t count);

// Prints the same as JSON: an object for each GPU, with its lines.
void annotate_json(FILE *file, const char *path, const struct kernel_report *reports, size_t count);

#endif
