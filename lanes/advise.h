// Says which lines of a kernel waste most, why, and the usual cure.
#ifndef LANES_ADVISE_H
#define LANES_ADVISE_H

#include <stdio.h>

#include "lanes/kernel.h"

// The worst three lines of each GPU.
void advise_print(FILE *file, const struct kernel_report *reports, size_t count);

#endif
