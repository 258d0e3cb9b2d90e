// The time of a launch: what its blocks do between their barriers, and the prediction from it (docs/simulator.md,
// Time).
#ifndef SIM_TIME_H
#define SIM_TIME_H

#include <stdbool.h>

#include "device/device.h"
#include "model/time/walk.h"
#include "model/work.h"
#include "model/work_record.h"

// ---- What the blocks of a launch do between their barriers ----

struct sim_block;

struct sim_intervals {
    struct launch_interval *interval;
    uint64_t *since_fold;               // blocks that ran with each of them
    size_t count;                       // what comes after INTERVALS of them (time.c) is merged into the last one
    uint32_t *index;                    // interval + 1, by hash; 0: none
    struct block_tail current, longest; // tails of the running block and of those before it
    struct block_tail own_last, last;   // the same for what follows an atomic that returned
    bool has_loaded;                    // the running block has waited for a load that missed L1
    bool has_returned;                  // and for an atomic
};

void sim_intervals_create(struct sim_intervals *intervals);
void sim_intervals_destroy(struct sim_intervals *intervals);

// Adds what the block's warps have done since its last barrier, and clears it.
void sim_intervals_add(struct sim_intervals *intervals, struct sim_block *block, bool ends_block);

// Lets each block since the last fold stand for `weight` blocks.
void sim_intervals_fold(struct sim_intervals *intervals, double weight);

// ---- Prediction ----

// Sets the bound and the prediction from the other counts. shared_bytes: the kernel's static shared memory;
// thread_registers: those that AMD's code names, or 0; last: the last walk, for a launch that is repeated.
void sim_predict(const struct gpu *gpu, const struct launch *launch, uint32_t shared_bytes, uint32_t thread_registers,
                 const struct sim_intervals *intervals, struct walked *last, struct launch_counts *counts);

// ---- Work of launches, as a file that the model is fitted to ----

void sim_work_log_span(const struct span_record *span);

#endif
