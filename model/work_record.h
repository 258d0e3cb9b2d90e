// What the simulator notes of its launches, so that `make fit` predicts them again with other constants: a file of
// records, each with the kind of what follows. The same build writes and reads it.
#ifndef MODEL_WORK_RECORD_H
#define MODEL_WORK_RECORD_H

#include "model/time/time.h"
#include "model/work.h"

enum work_record_kind {
    WORK_OF_LAUNCH = 1,
    WORK_OF_SPAN
};

// `work.interval_count` intervals follow.
struct launch_record {
    char gpu[24];
    struct launch_work work;
    struct cycle cycle;
    double bound_ns;
};

// What was predicted together.
struct span_record {
    uint64_t launches; // the last ones before this record
    double fills;      // of a few bytes
    double other_ns;   // copies
    double predicted_ns;
};

#endif
