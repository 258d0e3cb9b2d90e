// How far each GPU of a fleet is from its median, for each variant of a probe: the row of it that is farthest.
#ifndef TOOLS_JUDGE_VERDICT_H
#define TOOLS_JUDGE_VERDICT_H

#include <stddef.h>
#include <stdint.h>

#include "tools/judge/fleet.h"
#include "tools/judge/store.h"

enum {
    HEAT_COLUMNS_MAX = 64 // variants; more are left out
};

struct heat_cell {
    const char *name; // of the row; NULL: the GPU has none
    double cost, median;
    enum figure figure;
};

struct heat {
    struct names columns;    // "gmem copy"
    struct heat_cell *cells; // HEAT_COLUMNS_MAX of each GPU
};

struct heat heat_make(size_t gpu_count);
void heat_clear(struct heat *heat);

// Which rows of a fleet stand out.
//
// Rows that ran the same are compared by what they cost (bench/keys.h). A row stands out if it is farther from the
// median of its model's GPUs than the threshold, and than as many deviations as let one of a hundred fleets without a
// fault have a false alarm, if costs are normally distributed: the quantile of the normal distribution at 0.01 / rows
// / 2. The deviation is 1.4826 times the median absolute deviation, which seven slow GPUs of 64 do not change.

enum {
    VERDICT_TOO_FEW = 5,            // GPUs, of which a median says nothing about one
    VERDICT_FLEETS_PER_ALARM = 100, // without a fault
};

// A row that stands out.
struct outlier {
    uint32_t gpu;
    const char *name; // of its group
    enum figure figure;
    double cost, expected; // of a median, a reference, itself
    double spread;         // over the expected
};

struct verdict {
    struct fleet *fleet;
    const char *folder; // as the user named it
    uint64_t rows;      // of the fleet
    double threshold;   // of the expected time
    double deviations;  // from the median
    const char *before; // the earlier fleet's folder; NULL: there is none
    struct outlier *outliers;
    size_t count;
    struct heat *heat; // gets every row that has a median; NULL: nobody wants it
    uint64_t compared; // rows with a reference, or with an earlier row
};

// Sets the deviations for a fleet of so many rows.
void verdict_set_rows(struct verdict *verdict, uint64_t rows);

// A group_judge, whose context is a struct verdict.
void verdict_judge(void *verdict, const struct group *group, const struct record *records, size_t count);

// The model that three of four GPUs have, but not all; NULL: there is none.
const char *verdict_common_model(const struct fleet *fleet);

// What is wrong with the GPU, to be freed; NULL: nothing.
char *verdict_of(const struct fleet_gpu *gpu, const char *common_model);

#endif
