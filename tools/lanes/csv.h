// A request's cost as a row of CSV.
#ifndef TOOLS_LANES_CSV_H
#define TOOLS_LANES_CSV_H

#include "tools/lanes/cost.h"
#include "tools/lanes/pattern.h"
#include <stdio.h>

void csv_header(FILE *file);

// Leaves the fields of the other memory space empty.
void csv_row(FILE *file, const struct gpu *gpu, const struct request *request, const struct cost *cost,
             const struct pattern *pattern);

#endif
