// Draws the costliest request of one line of a kernel.
// Shows a kernel line by line, as annotated source or CSV.
#ifndef TOOLS_LANES_EXPLAIN_KERNEL_H
#define TOOLS_LANES_EXPLAIN_KERNEL_H

#include <stdio.h>

#include "tools/lanes/arguments.h"
#include "tools/lanes/kernel.h"

// A line of the source, and its reports: those of PANELS_MAX GPUs at most.
struct line_view {
    const char *path, *text; // of the source that the reports' lines name
    uint32_t number;
    const struct kernel_report *reports;
    size_t count;
};

// STATUS_USAGE, with the lines that make requests, if this one makes none.
enum status line_check(const struct line_view *view, struct error *error);

// Shows a kernel line by line, as annotated source or CSV.
enum status explain_kernel(const struct arguments *arguments, struct error *error);

#endif
