// The output of --quick: each variant's best rate, and its share of the peak.
#ifndef BENCH_HEADLINE_H
#define BENCH_HEADLINE_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/probe.h"

struct headline {
    const struct probe *probe; // whose metrics are printed; NULL: no headline is wanted
    struct row *rows;          // the best of each variant on each device
    size_t count;
};

// Keeps the row if it is one of a whole variant and better than the variant's best so far.
void headline_add(struct headline *headline, const struct row *row);

// A line for each device: "cpu: copy 34.5 GB/s (45 % of peak), read ...".
void headline_print(const struct headline *headline, FILE *file);
void headline_clear(struct headline *headline);

#endif
