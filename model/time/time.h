// The time that a launch is expected to take: docs/simulator.md derives it and says what each parameter was fitted on.
#ifndef MODEL_TIME_TIME_H
#define MODEL_TIME_TIME_H

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

// The share of a launch's traffic that goes to memory; a cache serves the rest.
double memory_share(const struct gpu *gpu, const struct memory_traffic *memory);

// The clocks for which a load from global memory keeps L1 busy. clocks: if it found all there (struct l1_cost);
// missed_bytes: of sectors from L2.
uint32_t l1_load_cycles(uint32_t clocks, uint32_t missed_bytes);

// The clocks that a warp of a chain takes for so many instructions of the host's compiler. accesses: for its accesses.
double chain_cycles(double instructions, double accesses);

// What a launch of so many blocks takes apart from its work, if it is queued before the GPU comes to it.
double launch_overhead_ns(const struct gpu *gpu, double blocks);

struct launch_time {
    double ns;
    double part_ns[TIME_PARTS]; // each part's time if it were alone
    enum time_part most;        // the longest of them
};

struct launch_time launch_time(const struct gpu *gpu, const struct launch_work *work);

// What a line of a kernel, or all of them, do.
struct line_work {
    double instructions, barriers;
    double global_loads, shared_loads; // requests
    double sectors, memory_sectors;    // moved by L2, and by memory
    double l1_cycles, passes, atomics;
};

// The share of the launch's time that a line takes, from 0 to 1: each part of the time is divided by what the lines do
// there, and parts that overlap count by how much the time follows them.
double time_share(const struct gpu *gpu, const double part_ns[TIME_PARTS], const struct line_work *line,
                  const struct line_work *launch);

// The time that the launch no longer takes if it does so much less.
double time_gain_ns(const struct gpu *gpu, const double part_ns[TIME_PARTS], const struct line_work *less,
                    const struct line_work *launch);

#endif
