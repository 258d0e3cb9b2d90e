// Which blocks of a grid run where not all do, and how many of the grid's each of them stands for.
#ifndef DEVICE_SIM_SAMPLE_H
#define DEVICE_SIM_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

// Blocks of one kind that run, and what they stand for.
struct sim_stratum {
    size_t first, count; // among the sample's blocks
    double grid_blocks;  // that it stands for, those that run included
    bool idle;           // they return without touching memory
};

struct sim_sample {
    uint64_t *blocks; // by kind, and in a kind by number
    struct sim_stratum *strata;
    size_t block_count, stratum_count;
    bool is_part; // not all blocks
};

// A block and its kind: two of one kind begin with the same access, barrier or return (kind 0).
struct sim_kind {
    uintptr_t kind;
    uint64_t block;
};

// Takes `wanted` of a grid's blocks: of each kind a share that is as large as the kind's among those that were looked
// at, but one block at least. Sorts `looked`. The sample is to be destroyed.
enum status sim_sample_take(struct sim_sample *sample, uint64_t grid_blocks, uint64_t wanted, struct sim_kind *looked,
                            size_t looked_count, struct error *error);

// All blocks of the grid.
enum status sim_sample_all(struct sim_sample *sample, uint64_t grid_blocks, struct error *error);

// How many blocks of the grid there are for each that runs and touches memory.
double sim_sample_scale(const struct sim_sample *sample);

void sim_sample_destroy(struct sim_sample *sample);

// The standard error of a total over the grid, in per cent of it, from what each block of the sample had of it.
// NaN where a kind has one block that stands for several.
double sim_sample_error_pct(const struct sim_sample *sample, const uint64_t *of_block);

#endif
