#include "sim/count.h"

#include <stdlib.h>

#include "model/cluster_memory.h"
#include "model/global_memory.h"
#include "model/time/time_constants.h"
#include "sim/compile/assembly.h"
#include "sim/program.h"

void sim_sites_create(struct sim_sites *sites, const struct sim_module *module) {
    *sites = (struct sim_sites){.text = module->text, .weights = module->weights, .program = module->program};
    sites->index = memory_zeros(module->text.end - module->text.begin + 1, sizeof *sites->index);
}

void sim_sites_destroy(struct sim_sites *sites) {
    for (size_t i = 0; i < sites->count; i++) {
        free(sites->site[i]->memos[SIM_GLOBAL]);
        free(sites->site[i]->memos[SIM_SHARED]);
        free(sites->site[i]);
    }
    free(sites->site);
    free(sites->index);
    *sites = (struct sim_sites){0};
}

// A long run without an access works on registers. The host's compiler may not split structs, so it keeps these values
// in memory and needs about eight instructions for one of a GPU's.
static uint32_t without_spills(uint32_t instructions) {
    enum {
        RUN = 32,
        SPILLED = 8
    };
    return instructions <= RUN ? instructions : RUN + (instructions - RUN) / SPILLED;
}

// What the host's compiler makes of the kernel, as instructions of a GPU. Each kind is worth a whole number.
static uint32_t worth(const uint32_t instructions[SIM_INSTRUCTIONS]) {
    const double each[SIM_INSTRUCTIONS] = {[SIM_PLAIN] = 1,
                                           [SIM_WIDE] = time_constants.wide_instructions,
                                           [SIM_QUOTIENT] = time_constants.quotient_instructions};
    uint32_t sum = 0;
    for (int kind = 0; kind < SIM_INSTRUCTIONS; kind++) {
        sum += instructions[kind] * (uint32_t)each[kind];
    }
    return sum;
}

static void weigh(struct sim_site *site, struct sim_range table) {
    const struct sim_weight *weight = (const struct sim_weight *)table.begin, *end = (const void *)table.end;
    while (weight < end && weight->pc != site->pc) {
        weight++;
    }
    if (weight == end) {
        return;
    }
    site->weight = without_spills(worth(weight->instructions));
    site->pinned = weight->pinned;
    site->load = UINT64_C(1) << (size_t)(weight - (const struct sim_weight *)table.begin) % 64;
    site->needs = weight->needs;
}

// The same of a translation, whose accesses no compiler may merge any more. Its loops come unrolled.
static void take_weight(struct sim_site *site, const struct sim_program *program, uintptr_t number) {
    if (number < program->site_count) {
        const struct sim_program_site *own = &program->sites[number];
        site->weight = without_spills(own->weight);
        site->pinned = true;
        site->by_cluster = own->by_cluster;
        site->load = UINT64_C(1) << number % 64;
        site->needs = own->needs;
    }
}

struct sim_site *sim_sites_find(struct sim_sites *sites, uintptr_t pc) {
    uint32_t *index = &sites->index[pc - sites->text.begin];
    if (*index) {
        return sites->site[*index - 1];
    }
    struct sim_site *site = memory_zeros(1, sizeof *site);
    site->pc = pc;
    if (sites->program) {
        take_weight(site, sites->program, pc - sites->text.begin - 1);
    } else {
        weigh(site, sites->weights);
    }
    sites->site = memory_room(sites->site, sites->count, sizeof *sites->site);
    sites->site[sites->count++] = site;
    *index = (uint32_t)sites->count;
    return site;
}

// Moving all addresses by a row of banks or by four cache lines does not change the cost, but for the tags of NVIDIA's
// L1. The largest of these are the lines.
static const uint64_t period = L1_PLACE_BYTES;
static const uint64_t word_bytes = 4;

// The tags of a remote load count by its whole address.
static uint64_t phase_of(const struct request *request, uint64_t first) {
    return request->path == PATH_REMOTE ? first : first % period;
}

// Neighbouring words have different memos, and so have lines of one period.
static uint64_t memo_number(uint64_t first) {
    const uint64_t word = first % period / word_bytes;
    return (word + word / SIM_MEMOS) % SIM_MEMOS;
}

static bool matches(const struct sim_memo *memo, const struct request *request, uint64_t first) {
    if (memo->request.width_bytes != request->width_bytes || memo->request.active != request->active ||
        memo->request.operation != request->operation || memo->request.path != request->path ||
        memo->phase != phase_of(request, first)) {
        return false;
    }
    for (uint64_t left = request->active; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        if (request->address[lane] - first != memo->request.address[lane]) {
            return false;
        }
    }
    return true;
}

static void remember(struct sim_memo *memo, const struct request *request, uint64_t first, const struct sim_tally *cost,
                     uint32_t l1_data_clocks) {
    memo->request = *request;
    for (uint64_t left = request->active; left; left &= left - 1) {
        memo->request.address[__builtin_ctzll(left)] -= first;
    }
    memo->phase = phase_of(request, first);
    memo->cost = *cost;
    memo->l1_data_clocks = l1_data_clocks;
}

// A request that has been seen elsewhere: only the tags of its lines may differ.
static struct sim_tally cost_again(const struct gpu *gpu, const struct sim_memo *memo, const struct request *request) {
    struct sim_tally cost = memo->cost;
    if (cost.lines > memo->l1_data_clocks && gpu->vendor == VENDOR_NVIDIA && request->operation == OPERATION_LOAD) {
        const uint32_t tags = l1_tag_clocks(gpu, request);
        cost.l1_clocks = tags > memo->l1_data_clocks ? tags : memo->l1_data_clocks;
    }
    return cost;
}

static struct shared_cost shared_cost_of(const struct gpu *gpu, const struct request *request,
                                         const struct copy *copy) {
    return copy                        ? copy_memory_cost(gpu, copy)
           : request->path == PATH_OWN ? shared_memory_cost(gpu, request)
                                       : cluster_memory_cost(gpu, request);
}

static struct sim_tally cost_of(const struct gpu *gpu, enum sim_space space, const struct request *request,
                                const struct copy *copy, uint32_t *l1_data_clocks) {
    if (space == SIM_SHARED) {
        const struct shared_cost cost = shared_cost_of(gpu, request, copy);
        return (struct sim_tally){.requests = 1,
                                  .lanes = cost.active_lanes,
                                  .lane_bytes = cost.active_lanes * request->width_bytes,
                                  .passes = cost.passes,
                                  .conflicts = cost.conflicts,
                                  .unique_bytes = cost.unique_bytes};
    }
    struct global_cost cost = global_memory_cost(gpu, request);
    *l1_data_clocks = cost.l1_data_clocks;
    return (struct sim_tally){.requests = 1,
                              .lanes = cost.active_lanes,
                              .lane_bytes = cost.active_lanes * request->width_bytes,
                              .sectors = copy && copy->past_l1 ? copy_sectors(copy) : cost.sectors,
                              .again = cost.again,
                              .lines = cost.lines,
                              .l1_clocks = cost.l1_clocks,
                              .way_clocks = cost.way_clocks,
                              .unique_bytes = cost.unique_bytes};
}

static void keep_costliest(struct sim_costliest *costliest, const struct request *request,
                           const struct sim_tally *cost) {
    const uint64_t lanes = (uint64_t)__builtin_popcountll(request->active);
    const uint64_t rank = (cost->passes + cost->sectors) * (WARP_WIDTH_MAX + 1) + lanes;
    if (rank > costliest->rank) {
        *costliest = (struct sim_costliest){*request, rank};
    }
}

static void add_tally(struct sim_tally *sum, const struct sim_tally *more) {
#define ADD(name) sum->name += more->name;
    MEMORY_COUNTERS(ADD)
#undef ADD
}

struct sim_tally sim_count_request(struct sim_site *site, const struct gpu *gpu, enum sim_space space,
                                   const struct request *request, const struct copy *copy) {
    uint64_t first = request->address[__builtin_ctzll(request->active)];
    if (!site->memos[space]) {
        site->memos[space] = memory_zeros(SIM_MEMOS, sizeof *site->memos[space]);
    }
    struct sim_memo *memo = copy ? NULL : &site->memos[space][memo_number(first)];
    struct sim_tally cost;
    if (memo && matches(memo, request, first)) {
        cost = cost_again(gpu, memo, request);
    } else {
        uint32_t l1_data_clocks = 0;
        cost = cost_of(gpu, space, request, copy, &l1_data_clocks);
        keep_costliest(&site->costliest[space], request, &cost);
        if (memo) {
            remember(memo, request, first, &cost, l1_data_clocks);
        }
    }
    add_tally(&site->counts.tally[space][request->operation], &cost);
    return cost;
}

static struct memory_counts *memory_of(struct launch_counts *counts, int space, int operation) {
    struct memory_counts *const memories[SIM_SPACES][2] = {
        [SIM_GLOBAL] = {[OPERATION_LOAD] = &counts->global_load, [OPERATION_STORE] = &counts->global_store},
        [SIM_SHARED] = {[OPERATION_LOAD] = &counts->shared_load, [OPERATION_STORE] = &counts->shared_store},
    };
    return memories[space][operation];
}

static void fold_tally(const struct sim_tally *tally, double weight, struct memory_counts *counts) {
#define FOLD(name) counts->name += (double)tally->name * weight;
    MEMORY_COUNTERS(FOLD)
#undef FOLD
}

uint64_t sim_sites_requests(const struct sim_sites *sites) {
    uint64_t requests = 0;
    for (size_t i = 0; i < sites->count; i++) {
        for (int space = 0; space < SIM_SPACES; space++) {
            const struct sim_tally *tally = sites->site[i]->counts.tally[space];
            requests += tally[OPERATION_LOAD].requests + tally[OPERATION_STORE].requests;
        }
    }
    return requests;
}

void sim_sites_fold(struct sim_sites *sites, double weight) {
    for (size_t i = 0; i < sites->count; i++) {
        struct sim_site *site = sites->site[i];
        for (int space = 0; space < SIM_SPACES; space++) {
            for (int operation = 0; operation < 2; operation++) {
                fold_tally(&site->counts.tally[space][operation], weight, memory_of(&site->sum, space, operation));
            }
        }
#define FOLD(name, of_launch) site->sum.of_launch += (double)site->counts.name * weight;
        SITE_COUNTERS(FOLD)
#undef FOLD
        site->counts = (struct sim_site_counts){0};
    }
}

// Only volatile accesses are certain to happen, since a compiler may keep a value in a register.
static void add_least(struct sim_site *site, struct launch_counts *counts) {
    for (int i = 0; i < 2 * SIM_SPACES && site->pinned; i++) {
        const struct memory_counts *memory = memory_of(&site->sum, i / 2, i % 2);
        counts->least_requests += memory->requests;
        counts->least_passes += memory->passes;
    }
}

double sim_site_weighed(const struct sim_site *site) {
    return site->sum.instructions * (1 + site->weight) - site->sum.left_out + site->sum.lds_instructions +
           site->sum.vector_memory_instructions;
}

void sim_sites_sum(const struct sim_sites *sites, struct launch_counts *counts) {
    for (size_t i = 0; i < sites->count; i++) {
        struct sim_site *site = sites->site[i];
        launch_counts_add(counts, &site->sum);
        counts->weighed_instructions += sim_site_weighed(site);
        add_least(site, counts);
    }
}
