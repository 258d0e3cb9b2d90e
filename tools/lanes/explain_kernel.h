// Shows a kernel line by line, or the costliest request of one line.
#ifndef TOOLS_LANES_EXPLAIN_KERNEL_H
#define TOOLS_LANES_EXPLAIN_KERNEL_H

#include "tools/lanes/arguments.h"

// A line is a picture, in the terminal and as SVG; all lines are annotated source, or CSV.
enum status explain_kernel(const struct arguments *arguments, struct error *error);

#endif
