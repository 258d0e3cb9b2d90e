// Sections of a launch, whose blocks workers run side by side.
#ifndef SIM_SECTION_H
#define SIM_SECTION_H

#include "sim/launch_state.h"
#include "sim/process.h"

// ---- A worker's part ----

// ---- What they counted, besides their traffic ----

// ---- What they read and wrote in global memory ----

// ---- Sections ----

// Runs blocks of a launch side by side, in worker processes. Results and counts are those of blocks that run one after
// another: what a section's workers did is taken only if none wrote a byte that another one read or wrote.

struct sim_blocks {
    size_t next, end;                                            // of the sample's blocks: those that have yet to run
    enum status (*run)(struct sim_launch *launch, size_t block); // runs one
    double block_s, spent_s; // processor time that those which ran here took, on average and in all
    uint64_t here;           // their number
    size_t in_order_until;   // those before it must run in order here
};

// Whether running the blocks side by side saves time. If not, the launch's progress says why.
bool sim_section_pays(struct sim_launch *launch, const struct sim_blocks *blocks);

// The address space that a section takes.
uint64_t sim_section_bytes(const struct sim_threads *threads, const struct sim_memory *memory);

// Runs blocks, and moves `next` behind those that have run. If it leaves some, the next ones must run in order here.
enum status sim_section_run(struct sim_launch *launch, struct sim_blocks *blocks);

#endif
