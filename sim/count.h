// Counts a launch's memory requests, for each instruction.
#ifndef SIM_COUNT_H
#define SIM_COUNT_H

#include "device/device.h"
#include "model/copy_memory.h"
#include "model/global_memory.h"
#include "model/request.h"
#include "sim/compile/assembly.h"
#include "sim/compile/module.h"

enum sim_space {
    SIM_GLOBAL,
    SIM_SHARED,
    SIM_SPACES
};

#define TALLY_FIELD(name) uint64_t name;
struct sim_tally {
    MEMORY_COUNTERS(TALLY_FIELD)
};

// A request and its cost. A request of the same shape costs the same when its addresses move by a whole period.
struct sim_memo {
    struct request request; // addresses relative to the first active lane's; width 0: the entry is empty
    uint64_t phase;         // that lane's address modulo the period
    struct sim_tally cost;
    uint32_t l1_data_clocks; // of struct global_cost
};

// The request that cost most, the first of several; no active lane: there was none.
struct sim_costliest {
    struct request request;
    uint64_t rank; // passes or sectors, then active lanes
};

enum {
    SIM_MEMOS = 64 // for each instruction
};

// What a site counts besides its requests, and the counter of the launch (device/launch.h) that this is folded into.
#define SITE_COUNTERS(COUNTER)                                                                                         \
    COUNTER(instructions, instructions)                                                                                \
    COUNTER(lanes, lane_steps)                                                                                         \
    COUNTER(branches, branches)                                                                                        \
    COUNTER(barriers, barriers)                                                                                        \
    COUNTER(atomics, atomics)                                                                                          \
    COUNTER(kept_passes, kept_passes)                                                                                  \
    COUNTER(left_out, left_out)                                                                                        \
    COUNTER(vector, vector_instructions)                                                                               \
    COUNTER(scalar, scalar_instructions)                                                                               \
    COUNTER(shared, lds_instructions)                                                                                  \
    COUNTER(vector_memory, vector_memory_instructions)                                                                 \
    COUNTER(scalar_memory, scalar_memory_instructions)                                                                 \
    COUNTER(scratch, scratch_instructions)

#define SITE_FIELD(name, of_launch) uint64_t name;
// What a site did since the last fold.
struct sim_site_counts {
    SITE_COUNTERS(SITE_FIELD)
    struct sim_tally tally[SIM_SPACES][2]; // by space and enum operation
};

// One instruction of the kernel that is counted.
struct sim_site {
    uintptr_t pc;
    uint32_t weight; // instructions until the next site's
    bool by_cluster; // an address of it may lead to any block of the cluster
    bool pinned;     // no compiler may merge this access with another
    uint64_t load;   // the bit that stands for it in the needs of other steps
    struct flow_needs needs;
    struct sim_site_counts counts;
    struct launch_counts sum;           // before the last fold, over the whole grid
    struct sim_memo *memos[SIM_SPACES]; // SIM_MEMOS each, NULL before the first request
    struct sim_costliest costliest[SIM_SPACES];
};

struct sim_sites {
    struct sim_range text, weights;    // of the module
    const struct sim_program *program; // the module's
    uint32_t *index;                   // site + 1 of each instruction, by its offset in the text; 0: no site yet
    struct sim_site **site;
    size_t count;
};

void sim_sites_create(struct sim_sites *sites, const struct sim_module *module);
void sim_sites_destroy(struct sim_sites *sites);

// The site of an instruction, which is created on first use.
struct sim_site *sim_sites_find(struct sim_sites *sites, uintptr_t pc);

// Counts one request of a warp and returns its cost. copy: what it is a part of, or NULL.
struct sim_tally sim_count_request(struct sim_site *site, const struct gpu *gpu, enum sim_space space,
                                   const struct request *request, const struct copy *copy);

// Requests since the last fold.
uint64_t sim_sites_requests(const struct sim_sites *sites);

// Adds the counts of the blocks since the last fold to the sums. Each of these blocks represents `weight` blocks.
void sim_sites_fold(struct sim_sites *sites, double weight);

// About as many instructions as a GPU's compiler makes of the site and what follows it.
double sim_site_weighed(const struct sim_site *site);

// The sums of all sites.
void sim_sites_sum(const struct sim_sites *sites, struct launch_counts *counts);

#endif
