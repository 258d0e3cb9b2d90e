// Says which lines of a kernel waste most, why, and the usual cure.
#ifndef TOOLS_LANES_ADVISE_H
#define TOOLS_LANES_ADVISE_H

#include <stdio.h>

#include "tools/lanes/trial.h"

// The worst three lines of each GPU, whose cures are tried where that is possible. kernel: what the reports are of.
void advise_print(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *reports, size_t count);

#endif
