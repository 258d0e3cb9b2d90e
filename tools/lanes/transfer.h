// A kernel's report, sent from the process that ran the kernel to the one that shows it.
#ifndef TOOLS_LANES_TRANSFER_H
#define TOOLS_LANES_TRANSFER_H

#include <stdio.h>

#include "tools/lanes/kernel.h"

// Writes the report, or the error if status is not STATUS_OK.
void report_send(FILE *file, enum status status, const struct kernel_report *report, const struct error *error);

// Reads what report_send wrote, and moves *bytes past it. The kernel may have overwritten it, so everything is checked.
enum status report_receive(const char **bytes, size_t *count, struct kernel_report *report, struct error *error);

#endif
