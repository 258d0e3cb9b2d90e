// A request's cost as a row of CSV.
#ifndef LANES_CSV_H
#define LANES_CSV_H

#include "lanes/cost.h"
#include "lanes/pattern.h"
#include <stdio.h>

void csv_header(FILE *file);

// Leaves the fields of the other memory space empty.
void csv_row(FILE *file, const struct gpu *gpu, const struct request *request, const struct cost *cost,
             const struct pattern *pattern);

#endif
