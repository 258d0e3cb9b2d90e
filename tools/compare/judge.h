// Decides which of two rows is faster, as far as their samples tell. tools/compare/README.md explains the test.
#ifndef TOOLS_COMPARE_JUDGE_H
#define TOOLS_COMPARE_JUDGE_H

#include "tools/compare/join.h"

enum outcome {
    OUTCOME_SAME,
    OUTCOME_FASTER, // side B is
    OUTCOME_SLOWER,
    OUTCOME_UNSURE,
    OUTCOMES
};
const char *outcome_name(enum outcome outcome);

struct comparison {
    const struct result *a, *b; // one row of each side, for what was run
    enum figure figure;         // FIGURES: none is in both
    double value_a, value_b;    // of the figure
    double ratio;               // speed of B over speed of A; NaN without a figure
    double low, high;           // the interval of the ratio that holds for all rows together; NaN without one
    enum outcome outcome;
    enum reason reason; // of OUTCOME_UNSURE
};

struct judgement {
    struct comparison *comparisons;
    size_t count;
    size_t tested;        // number of rows that share the false-alarm rate
    double cpu_threshold; // that single runs of a CPU must exceed, relative; infinite: too few rows to tell
    size_t outcomes[OUTCOMES];
    double moved_alike; // the speed of B over that of A if all single runs of CPUs moved together; 1: they did not
};

// The probability that any of all rows that did not change is called faster or slower.
extern const double false_alarm_rate;

// Figures of two origins are never the same, and different only beyond this: published ones are of other programs, and
// predicted ones of a part that may never have been measured. tools/compare/README.md says what it rests on.
extern const double origin_threshold;
bool comparison_has_origins(const struct comparison *comparison);

// The same of two predicted parts, which are different only beyond the expected errors of both together. An unknown
// error counts as origin_threshold.
bool comparison_has_predictions(const struct comparison *comparison);

// threshold: the relative difference that counts as none.
// cpu_threshold: the same for single runs of a CPU, if it is larger. NaN: as far as the rows scatter (spread.h).
struct judgement judge(const struct joined *joined, double threshold, double cpu_threshold);
void judgement_clear(struct judgement *judgement);

#endif
