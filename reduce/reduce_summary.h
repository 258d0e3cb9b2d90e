// The summary of a run's rows: how much each step gained over the one before. Rows are kept until the run ends.
#ifndef REDUCE_REDUCE_SUMMARY_H
#define REDUCE_REDUCE_SUMMARY_H

#include <stdio.h>

#include "reduce/reduce_detail.h"

struct reduce_limit {
    const struct device *device;
    enum reduce_type type;
    uint64_t elements;
    double gb_s;
};

struct reduce_step {
    const struct variant *variant;
    struct row row;
    bool printed; // in the summary
};

struct reduce_summary {
    struct reduce_limit *limits;
    size_t limit_count;
    struct reduce_step *steps;
    size_t step_count;
};

// The bandwidth at which this device reads that many numbers of a type, as measured in this run; NaN: not measured yet.
double reduce_summary_limit(const struct reduce_summary *summary, const struct device *device, enum reduce_type type,
                            uint64_t elements);
void reduce_summary_set_limit(struct reduce_summary *summary, const struct device *device, enum reduce_type type,
                              uint64_t elements, double gb_s);

// Sets the row's speedup if the step before ran with the same parameters, and keeps the row. printed: the summary has a
// paragraph about it.
void reduce_summary_add(struct reduce_summary *summary, const struct variant *variant, struct row *row, bool printed);

// Prints for each step its change, its counters and its gain.
void reduce_summary_print(const struct reduce_summary *summary, FILE *file);

void reduce_summary_clear(struct reduce_summary *summary);

#endif
