// The time that a launch is expected to take: docs/simulator.md derives it and says what each parameter was fitted on.
#ifndef MODEL_TIME_H
#define MODEL_TIME_H

#include "model/gpus.h"
#include "model/work.h"

// Where time goes.
enum time_part {
    TIME_LAUNCH,
    TIME_MEMORY,
    TIME_L2,
    TIME_ATOMICS,
    TIME_L1,
    TIME_SHARED_MEMORY,
    TIME_ISSUE,
    TIME_WAITING, // for loads, and for the block's other warps
    TIME_PARTS
};

// "launch", "memory", "L2", "atomics", "L1", "shared memory", "issue", "waiting".
const char *time_part_name(enum time_part part);

// The clocks after which a load from shared memory of this width and number of passes is there.
uint32_t shared_load_cycles(uint32_t width_bytes, uint32_t passes);

// The clocks for which a request to global memory keeps L1 busy.
uint32_t l1_request_cycles(uint32_t lines, uint32_t sectors);

struct launch_time {
    double ns;
    double part_ns[TIME_PARTS]; // each part's time if it were alone
    enum time_part most;        // the longest of them
};

struct launch_time launch_time(const struct gpu *gpu, const struct launch_work *work);

#endif
