// Says which lines of a kernel waste most, why, and what the usual cure is predicted to gain.
#ifndef TOOLS_LANES_ADVISE_H
#define TOOLS_LANES_ADVISE_H

#include <stddef.h>
#include <stdio.h>

#include "tools/lanes/kernel.h"

// What can be run again.
struct trial_kernel {
    const struct kernel_run *run;
    size_t launch; // whose report holds the cure
};

// The worst three lines of each GPU, whose cures are tried where that is possible. kernel: what the reports are of.
void advise_print(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *reports, size_t count);

#endif
