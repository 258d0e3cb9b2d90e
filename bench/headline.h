// What a person wants to know first: each variant's best rate, and its share of the peak.
#ifndef BENCH_HEADLINE_H
#define BENCH_HEADLINE_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/row.h"

struct headline {
    bool wanted;
    struct row *rows; // the best of each variant on each device
    size_t count;
};

// A row of a whole variant that is better than the one so far takes its place.
void headline_add(struct headline *headline, const struct row *row);

// A line for each device: "cpu: copy 34.5 GB/s (45 % of peak), read ...".
void headline_print(const struct headline *headline, FILE *file);
void headline_clear(struct headline *headline);

#endif
