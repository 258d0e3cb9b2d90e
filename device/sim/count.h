// What a launch asked of memory, by instruction.
#ifndef DEVICE_SIM_COUNT_H
#define DEVICE_SIM_COUNT_H

#include "device/device.h"
#include "device/sim/compile/module.h"
#include "model/global_memory.h"
#include "model/request.h"
#include "model/shared_memory.h"

enum sim_space {
    SIM_GLOBAL,
    SIM_SHARED,
    SIM_SPACES
};

#define TALLY_FIELD(name) uint64_t name;
struct sim_tally {
    MEMORY_COUNTERS(TALLY_FIELD)
};

// A request of an instruction and its cost: one like it, a period of banks and lines away, costs the same.
struct sim_memo {
    struct request request; // addresses relative to the first active lane's; width 0: none yet
    uint64_t phase;         // of that lane's address in the period
    struct sim_tally cost;
};

enum {
    SIM_MEMOS = 64 // of an instruction, one for each word of the period
};

// One instruction of the kernel that does something that is counted.
struct sim_site {
    uintptr_t pc;
    uint32_t weight;                                  // instructions until the next site's
    bool pinned;                                      // no compiler may merge this access with others
    uint64_t instructions, lanes, branches, barriers; // since the last fold
    struct sim_tally tally[SIM_SPACES][2];            // the same, by space and enum operation
    struct launch_counts sum;                         // before it, over the whole grid
    struct sim_memo *memos[SIM_SPACES];               // SIM_MEMOS each, NULL before the first request
};

struct sim_sites {
    struct sim_range text, weights; // of the module
    uint32_t *index;                // of an instruction's site + 1, by its place in the text; 0: none yet
    struct sim_site **site;
    size_t count;
};

enum status sim_sites_create(struct sim_sites *sites, const struct sim_module *module, struct error *error);
void sim_sites_destroy(struct sim_sites *sites);

// The site of an instruction, made if new; NULL where memory ends.
struct sim_site *sim_sites_find(struct sim_sites *sites, uintptr_t pc);

// Counts one request of a warp and returns its cost.
struct sim_tally sim_count_request(struct sim_site *site, const struct gpu *gpu, enum sim_space space,
                                   const struct request *request);

// Requests since the last fold.
uint64_t sim_sites_requests(const struct sim_sites *sites);

// Blocks that stand for `weight` blocks each have run: adds their counts to the sums.
void sim_sites_fold(struct sim_sites *sites, double weight);

// The sums of all sites.
void sim_sites_sum(const struct sim_sites *sites, const struct gpu *gpu, struct launch_counts *counts);

#endif
