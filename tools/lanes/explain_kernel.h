// Shows a kernel line by line, as annotated source or CSV.
#ifndef TOOLS_LANES_EXPLAIN_KERNEL_H
#define TOOLS_LANES_EXPLAIN_KERNEL_H

#include "tools/lanes/arguments.h"

// Shows a kernel line by line, as annotated source or CSV.
enum status explain_kernel(const struct arguments *arguments, struct error *error);

#endif
