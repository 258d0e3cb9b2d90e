// A kernel's source with what each line costs.
#ifndef LANES_ANNOTATE_H
#define LANES_ANNOTATE_H

#include <stdio.h>

#include "lanes/kernel.h"

void annotate_source(FILE *file, const char *path, const char *text, const struct kernel_report *reports, size_t count);

// The same as CSV, a row for each GPU, line and kind of access.
void annotate_csv(FILE *file, const struct kernel_report *reports, size_t count);

#endif
