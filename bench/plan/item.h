// A point of a run, as the plan keeps it from round to round.
#ifndef BENCH_PLAN_ITEM_H
#define BENCH_PLAN_ITEM_H

#include "bench/probe.h"
#include "bench/series.h"

enum item_state {
    ITEM_UNTRIED,
    ITEM_MEASURED,
    ITEM_LEFT_OUT // for lack of time
};

struct item {
    struct run *run;
    size_t number;   // of the point
    size_t telling;  // place among the probe's tellings: the first are measured first
    unsigned detail; // 0: an end of a sweep; more for values that only refine it
    bool asked;      // by the user, who gave no budget: it is never left out
    enum item_state state;
    bool waits;              // for all others, because it takes long to prepare
    bool settled;            // further samples are not needed, or would not help
    unsigned rounds;         // in which it was measured
    double wide_pct;         // the widest interval of its rows
    double prepare_s;        // what the latest round took besides measuring
    double sampled_s;        // for how long that measured
    struct series_list kept; // its samples
    struct row *rows;
    size_t row_count;
    size_t shown; // rows that streams have
};

#endif
