// Chooses the blocks of a grid that run, and how many blocks each of them represents.
#ifndef SIM_SAMPLE_H
#define SIM_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

// The blocks of one kind that run.
struct sim_stratum {
    size_t first, count; // among the sample's blocks
    double grid_blocks;  // blocks of this kind in the whole grid
    bool idle;           // they return without touching memory
    bool is_last;        // it finds that all others have finished
};

struct sim_sample {
    uint64_t *blocks; // sorted by kind, then by number
    struct sim_stratum *strata;
    size_t block_count, stratum_count;
    bool is_part;             // not all blocks
    uint64_t *cluster_blocks; // where each of its blocks is a cluster: the blocks of these; else NULL
    size_t cluster_block_count;
};

// A block and its kind. Blocks of one kind begin with the same access or barrier; kind 0 returns at once.
struct sim_kind {
    uintptr_t kind;
    uint64_t block;
};

// Chooses about `wanted` blocks of the grid. Each kind gets its share among the blocks that were looked at, but at
// least one block. Sorts `looked`. The caller destroys the sample.
enum status sim_sample_take(struct sim_sample *sample, uint64_t grid_blocks, uint64_t wanted, struct sim_kind *looked,
                            size_t looked_count, struct error *error);

// Chooses all blocks of the grid.
enum status sim_sample_all(struct sim_sample *sample, uint64_t grid_blocks, struct error *error);

// Adds the grid's last block as a kind, if the sample is a part of the grid.
void sim_sample_add_last(struct sim_sample *sample, uint64_t grid_blocks);

// Blocks of the grid for each block that runs and touches memory.
double sim_sample_scale(const struct sim_sample *sample);

void sim_sample_destroy(struct sim_sample *sample);

// The standard error of a total over the grid in per cent, from the values of the sample's blocks. NaN if a single
// block represents several blocks of its kind.
double sim_sample_error_pct(const struct sim_sample *sample, const uint64_t *of_block);

#endif
