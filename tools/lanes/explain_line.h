// Draws the costliest request of one line of a kernel.
#ifndef TOOLS_LANES_EXPLAIN_LINE_H
#define TOOLS_LANES_EXPLAIN_LINE_H

#include <stdio.h>

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

// Prints a picture for each kind of access of the line. The line must have passed line_check.
void line_print(FILE *file, const struct line_view *view);

// Writes the picture of the kind that takes the largest share of the time as SVG.
void line_write_svg(FILE *file, const struct line_view *view);

#endif
