// What --fail-if asks: a condition on a kernel's counts, such as 'conflicts > 0'.
#ifndef TOOLS_LANES_CONDITION_H
#define TOOLS_LANES_CONDITION_H

#include <stdbool.h>

#include "device/launch.h"
#include "util/error.h"

struct condition {
    const char *text; // NULL: none
    double (*count)(const struct launch_counts *counts);
    int sign; // an index of the comparisons
    double limit;
};

// STATUS_USAGE if the text is no condition.
enum status condition_parse(struct condition *condition, const char *text, struct error *error);

// STATUS_FAILED if the condition is true of the counts.
enum status condition_check(const struct condition *condition, const char *gpu, const struct launch_counts *counts,
                            struct error *error);

#endif
