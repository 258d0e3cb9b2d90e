#include "device/sim/count.h"

#include <stdlib.h>

enum status sim_sites_create(struct sim_sites *sites, struct sim_range text, struct error *error) {
    *sites = (struct sim_sites){.text = text};
    sites->index = calloc(text.end - text.begin + 1, sizeof *sites->index);
    return sites->index ? STATUS_OK : error_set(error, STATUS_FAILED, "no memory for the counts of a kernel");
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

struct sim_site *sim_sites_find(struct sim_sites *sites, uintptr_t pc) {
    uint32_t *index = &sites->index[pc - sites->text.begin];
    if (*index)
        return sites->site[*index - 1];
    struct sim_site *site = calloc(1, sizeof *site), **list = realloc(sites->site, (sites->count + 1) * sizeof *list);
    if (list)
        sites->site = list;
    if (!list || !site) {
        free(site);
        return NULL;
    }
    site->pc = pc;
    list[sites->count++] = site;
    *index = (uint32_t)sites->count;
    return site;
}

// Costs repeat when all addresses move by a row of banks or a line: the largest of these is 256 bytes.
static const uint64_t period = 256;
static const uint64_t word_bytes = 256 / SIM_MEMOS;

static bool matches(const struct sim_memo *memo, const struct request *request, uint64_t first) {
    if (memo->request.width_bytes != request->width_bytes || memo->request.active != request->active ||
        memo->request.operation != request->operation || memo->phase != first % period)
        return false;
    for (uint64_t left = request->active; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        if (request->address[lane] - first != memo->request.address[lane])
            return false;
    }
    return true;
}

static void remember(struct sim_memo *memo, const struct request *request, uint64_t first,
                     const struct sim_tally *cost) {
    memo->request = *request;
    for (uint64_t left = request->active; left; left &= left - 1)
        memo->request.address[__builtin_ctzll(left)] -= first;
    memo->phase = first % period;
    memo->cost = *cost;
}

static struct sim_tally cost_of(const struct gpu *gpu, enum sim_space space, const struct request *request) {
    if (space == SIM_SHARED) {
        struct shared_cost cost = shared_memory_cost(gpu, request);
        return (struct sim_tally){.requests = 1,
                                  .lane_bytes = cost.active_lanes * request->width_bytes,
                                  .passes = cost.passes,
                                  .conflicts = cost.conflicts,
                                  .unique_bytes = cost.unique_bytes};
    }
    struct global_cost cost = global_memory_cost(gpu, request);
    return (struct sim_tally){.requests = 1,
                              .lane_bytes = cost.active_lanes * request->width_bytes,
                              .sectors = cost.sectors,
                              .lines = cost.lines,
                              .unique_bytes = cost.unique_bytes};
}

struct sim_tally sim_count_request(struct sim_site *site, const struct gpu *gpu, enum sim_space space,
                                   const struct request *request) {
    uint64_t first = request->address[__builtin_ctzll(request->active)];
    if (!site->memos[space])
        site->memos[space] = calloc(SIM_MEMOS, sizeof *site->memos[space]);
    struct sim_memo *memo = site->memos[space] ? &site->memos[space][first % period / word_bytes] : NULL;
    struct sim_tally cost;
    if (memo && matches(memo, request, first)) {
        cost = memo->cost;
    } else {
        cost = cost_of(gpu, space, request);
        if (memo)
            remember(memo, request, first, &cost);
    }
    struct sim_tally *tally = &site->tally[space][request->operation];
    tally->requests += cost.requests;
    tally->lane_bytes += cost.lane_bytes;
    tally->sectors += cost.sectors;
    tally->lines += cost.lines;
    tally->passes += cost.passes;
    tally->conflicts += cost.conflicts;
    tally->unique_bytes += cost.unique_bytes;
    return cost;
}

void sim_tally_add(const struct sim_tally *tally, double scale, struct memory_counts *counts) {
    counts->requests += (double)tally->requests * scale;
    counts->lane_bytes += (double)tally->lane_bytes * scale;
    counts->sectors += (double)tally->sectors * scale;
    counts->lines += (double)tally->lines * scale;
    counts->passes += (double)tally->passes * scale;
    counts->conflicts += (double)tally->conflicts * scale;
    counts->unique_bytes += (double)tally->unique_bytes * scale;
}

void sim_sites_sum(const struct sim_sites *sites, double scale, struct launch_counts *counts) {
    for (size_t i = 0; i < sites->count; i++) {
        const struct sim_site *site = sites->site[i];
        sim_tally_add(&site->tally[SIM_GLOBAL][OPERATION_LOAD], scale, &counts->global_load);
        sim_tally_add(&site->tally[SIM_GLOBAL][OPERATION_STORE], scale, &counts->global_store);
        sim_tally_add(&site->tally[SIM_SHARED][OPERATION_LOAD], scale, &counts->shared_load);
        sim_tally_add(&site->tally[SIM_SHARED][OPERATION_STORE], scale, &counts->shared_store);
        counts->instructions += (double)site->instructions * scale;
        counts->lane_steps += (double)site->lanes * scale;
        counts->branches += (double)site->branches * scale;
        counts->barriers += (double)site->barriers * scale;
    }
}
