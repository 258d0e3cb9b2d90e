#include "sim/run.h"

#include <string.h>

#include "model/time/time.h"
#include "model/time/time_constants.h"
#include "sim/alike.h"
#include "sim/block.h"
#include "sim/parallel/section.h"
#include "sim/program.h"
#include "sim/report.h"
#include "sim/step.h"
#include "sim/time/interval.h"
#include "sim/traffic.h"
#include "sim/wave.h"
#include "util/clock.h"

// ---- Barriers of a block, and of a cluster ----

static enum status report_split_barrier(struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane,
                                        uintptr_t other_pc) {
    char other[256];
    return sim_report(launch, warp, lane,
                      "waits at this barrier while other threads of the block wait at the one of %s: let all threads "
                      "reach the same one",
                      sim_module_source_text(launch->module, other_pc, other, sizeof other));
}

// Barriers of one source line count as the same one, because the compiler may have duplicated the line.
static bool same_line(const struct sim_launch *launch, uintptr_t pc, uintptr_t other) {
    const char *file, *other_file;
    uint32_t line, other_line;
    if (pc == other) {
        return true;
    }
    sim_module_source_line(launch->module, pc, &file, &line);
    sim_module_source_line(launch->module, other, &other_file, &other_line);
    return line == other_line && file && other_file && !strcmp(file, other_file);
}

// Whether the warp's lanes wait for the cluster.
static bool is_of_cluster(const struct sim_warp *warp) {
    return warp->lanes[__builtin_ctzll(warp->at_barrier)].barrier.number == SIM_CLUSTER_BARRIER;
}

static enum status check_barrier(struct sim_launch *launch, const struct sim_block *block) {
    const struct sim_warp *first = NULL;
    uint32_t waiting = 0, threads = sim_block_threads(launch->launch);
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const struct sim_warp *warp = &block->warps[i];
        waiting += (uint32_t)__builtin_popcountll(warp->at_barrier);
        if (!first && warp->at_barrier) {
            first = warp;
        }
        const bool alike = !warp->barriers_differ && first && warp->barrier_pc == first->barrier_pc;
        for (uint64_t left = alike ? 0 : warp->at_barrier; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctzll(left);
            if (!same_line(launch, sim_key_pc(warp->key[lane]), first->barrier_pc)) {
                return report_split_barrier(launch, warp, lane, first->barrier_pc);
            }
        }
    }
    if (waiting < threads && !is_of_cluster(first)) { // threads that have returned keep no cluster waiting
        return sim_report(launch, first, (uint32_t)__builtin_ctzll(first->at_barrier),
                          "%u threads of the block wait at this barrier, %u have returned without it: let all reach it",
                          waiting, threads - waiting);
    }
    return STATUS_OK;
}

static bool waits_at(const struct sim_lane *lane, const struct sim_barrier *barrier) {
    return !barrier || (lane->barrier.number == barrier->number && lane->barrier.threads == barrier->threads);
}

// The lanes of the warp that wait at the barrier, and the sum of what they brought. NULL: all that wait.
static uint64_t take_waiting(const struct sim_warp *warp, const struct sim_barrier *barrier, uint64_t *sum) {
    uint64_t lanes = 0;
    for (uint64_t left = warp->at_barrier; left; left &= left - 1) {
        const struct sim_lane *lane = &warp->lanes[__builtin_ctzll(left)];
        if (waits_at(lane, barrier)) {
            *sum += lane->exchange.bits;
            lanes |= left & -left;
        }
    }
    return lanes;
}

static void let_go(struct sim_warp *warp, uint64_t lanes) {
    warp->at_barrier &= ~lanes;
    while (lanes) {
        struct sim_neighbours some;
        sim_find_neighbours(lanes, &some);
        memset(warp->key + some.first, 0, some.count * sizeof *warp->key);
        memset(warp->step + some.first, SIM_START, some.count);
        lanes &= ~sim_lanes_of(some);
    }
}

// Lets the lanes that wait at the barrier go on. NULL: all that wait.
static void release(struct sim_launch *launch, struct sim_block *block, const struct sim_barrier *barrier) {
    sim_turn.barrier_sum = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *warp = &block->warps[i];
        const uint64_t lanes =
            sim_turn.names_barriers ? take_waiting(warp, barrier, &sim_turn.barrier_sum) : warp->at_barrier;
        let_go(warp, lanes);
    }
    sim_race_order_block(launch->race, block->rank);
}

static uint32_t count_waiting(const struct sim_block *block, const struct sim_barrier *barrier) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        for (uint64_t left = block->warps[i].at_barrier; left; left &= left - 1) {
            count += waits_at(&block->warps[i].lanes[__builtin_ctzll(left)], barrier);
        }
    }
    return count;
}

// A barrier of some of the block's threads that all of them have reached; NULL if there is none.
static const struct sim_barrier *find_partial(const struct sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++) {
        for (uint64_t left = block->warps[i].at_barrier; left; left &= left - 1) {
            const struct sim_barrier *barrier = &block->warps[i].lanes[__builtin_ctzll(left)].barrier;
            if (barrier->threads && count_waiting(block, barrier) >= barrier->threads) {
                return barrier;
            }
        }
    }
    return NULL;
}

static bool is_live(const struct sim_block *block) {
    uint64_t live = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        live |= block->warps[i].live;
    }
    return live != 0;
}

// Whether a lane of the block waits for the whole cluster.
static bool waits_for_cluster(const struct sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++) {
        if (block->warps[i].at_barrier) {
            return is_of_cluster(&block->warps[i]);
        }
    }
    return false;
}

static enum status open_barrier(struct sim_launch *launch, struct sim_block *block) {
    sim_block_enter(block);
    sim_intervals_add(launch->intervals, block, false);
    const struct sim_barrier *partial = sim_turn.names_barriers ? find_partial(block) : NULL;
    const struct sim_barrier barrier = partial ? *partial : (struct sim_barrier){0};
    // The hardware of a program by wave counts warps, whichever lanes are active, and none that have ended.
    enum status status = partial || sim_turn.by_wave ? STATUS_OK : check_barrier(launch, block);
    if (status == STATUS_OK) {
        release(launch, block, partial ? &barrier : NULL);
    }
    return status;
}

// All blocks that have not ended wait for each other.
static enum status open_cluster_barrier(struct sim_launch *launch, struct sim_cluster *cluster) {
    for (uint32_t rank = 0; rank < cluster->count; rank++) {
        if (is_live(cluster->blocks[rank])) {
            TRY(open_barrier(launch, cluster->blocks[rank]));
        }
    }
    sim_race_order_all(launch->race);
    return STATUS_OK;
}

// No warp of the cluster can run. The blocks that wait for their own threads go on; if there are none, all do.
static enum status open_barriers(struct sim_launch *launch, struct sim_cluster *cluster) {
    bool opened = false;
    for (uint32_t rank = 0; rank < cluster->count; rank++) {
        struct sim_block *block = cluster->blocks[rank];
        if (is_live(block) && (cluster->count == 1 || !waits_for_cluster(block))) {
            TRY(open_barrier(launch, block));
            opened = true;
        }
    }
    return opened ? STATUS_OK : open_cluster_barrier(launch, cluster);
}

static enum status run_warp(struct sim_launch *launch, struct sim_warp *warp) {
    enum status status = sim_warp_is_started(warp) ? STATUS_OK : sim_warp_start(warp, launch->error);
    return status == STATUS_OK ? (sim_turn.by_wave ? sim_run_wave : sim_run_warp)(launch, warp) : status;
}

// Runs each warp that can run. *ran: at least one could.
static enum status run_warps(struct sim_launch *launch, struct sim_block *block, bool *ran) {
    sim_block_enter(block);
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *warp = &block->warps[i];
        if (sim_runnable_lanes(warp)) {
            enum status status = run_warp(launch, warp);
            if (status != STATUS_OK) {
                return status;
            }
            *ran = true;
        }
    }
    return STATUS_OK;
}

// Runs what can run in each block of the cluster. *ran: something could; *live: a block has not ended.
static enum status run_blocks_once(struct sim_launch *launch, struct sim_cluster *cluster, bool *ran, bool *live) {
    *ran = *live = false;
    for (uint32_t rank = 0; rank < cluster->count; rank++) {
        struct sim_block *block = cluster->blocks[rank];
        TRY(run_warps(launch, block, ran));
        const bool block_lives = is_live(block);
        launch->ended_blocks |= (uint32_t)!block_lives << rank;
        *live |= block_lives;
    }
    return STATUS_OK;
}

// The clocks of a chain's warp since its last barrier, when its accesses had taken `before`.
static double cycles_since(const struct sim_warp *warp, uint64_t before) {
    return chain_cycles((double)warp->path.in_turn / (double)TIME_UNROLLED_ROUNDS, (double)(warp->cycles - before));
}

// Runs a cluster, or the one block of a launch without clusters.
static enum status run_cluster(struct sim_launch *launch, uint64_t number) {
    struct sim_cluster cluster;
    sim_cluster_set_up(launch, number, &cluster);
    sim_near_begin_block(launch->near);
    const struct sim_warp *first = &cluster.blocks[0]->warps[0];
    enum status status = STATUS_OK;
    bool ran, live = true;
    uint64_t accessed = 0;
    double chain = 0;
    while (status == STATUS_OK && live) {
        status = run_blocks_once(launch, &cluster, &ran, &live);
        if (status == STATUS_OK && live && !ran) {
            chain += cycles_since(first, accessed);
            accessed = first->cycles;
            status = open_barriers(launch, &cluster);
        }
    }
    if (status == STATUS_OK && sim_turn.by_wave) {
        status = sim_wave_fold_counts(launch);
    }
    chain += cycles_since(first, accessed);
    for (uint32_t rank = 0; rank < cluster.count; rank++) {
        sim_intervals_add(launch->intervals, cluster.blocks[rank], true);
    }
    launch->chain_cycles += launch->caches ? launch->weight * chain : 0;
    if (*launch->race_within_warp) { // no other warp's came after it
        status = error_set(launch->error, STATUS_FAILED, "%s", launch->race_within_warp);
    }
    return status;
}

// ---- The launch ----

// Runs block i of the sample.
static enum status run_sampled(struct sim_launch *launch, size_t i) {
    const uint64_t before = sim_sites_requests(launch->sites);
    launch->progress.done = i;
    const enum status status = run_cluster(launch, launch->sample->blocks[i]);
    launch->requests[i] = sim_sites_requests(launch->sites) - before;
    return status;
}

// Runs the next block, and finds out how long blocks take.
static enum status run_here(struct sim_launch *launch, struct sim_blocks *blocks) {
    static const double KNOWN_S = 0.1;
    if (launch->threads.count == 1 || blocks->spent_s > KNOWN_S) {
        return run_sampled(launch, blocks->next++);
    }
    const double begun_s = clock_processor_s();
    const enum status status = run_sampled(launch, blocks->next++);
    blocks->spent_s += clock_processor_s() - begun_s;
    blocks->block_s = blocks->spent_s / (double)++blocks->here;
    return status;
}

static enum status run_blocks(struct sim_launch *launch, struct sim_blocks *blocks) {
    while (blocks->next < blocks->end) {
        TRY(sim_section_pays(launch, blocks) ? sim_section_run(launch, blocks) : run_here(launch, blocks));
    }
    return STATUS_OK;
}

// The end of the stratum's first blocks that are neighbours in the grid.
static size_t end_of_neighbours(const struct sim_launch *launch, const struct sim_stratum *stratum) {
    const uint64_t *blocks = launch->sample->blocks;
    size_t end = stratum->first + 1;
    while (end < stratum->first + stratum->count && blocks[end] - blocks[end - 1] == 1) {
        end++;
    }
    return end;
}

static enum status run_stratum(struct sim_launch *launch, const struct sim_stratum *stratum) {
    struct sim_blocks blocks = {.next = stratum->first, .end = end_of_neighbours(launch, stratum), .run = run_sampled};
    launch->weight = stratum->grid_blocks / (double)stratum->count;
    if (stratum->is_last) {
        *(uint32_t *)launch->launch->finished =
            (uint32_t)dimensions_count(&launch->launch->grid) - launch->cluster_blocks;
    }
    enum status status = run_blocks(launch, &blocks);
    if (status == STATUS_OK) {
        sim_memory_reach(launch->memory, launch->gpu);
        blocks.end = stratum->first + stratum->count;
        status = run_blocks(launch, &blocks);
    }
    launch->unit_loads += launch->weight * (double)launch->near->misses;
    launch->near->misses = 0;
    sim_sites_fold(launch->sites, launch->weight);
    sim_intervals_fold(launch->intervals, launch->weight);
    sim_memory_fold(launch->memory, launch->file_data, launch->gpu, launch->weight);
    return status;
}

enum status sim_run(struct sim_launch *launch) {
    if (launch->module->program && launch->module->program->by_wave) {
        sim_wave_forget_counts(launch->module);
    }
    enum status status = sim_blocks_begin(launch);
    for (size_t i = 0; status == STATUS_OK && i < launch->sample->stratum_count; i++) {
        status = run_stratum(launch, &launch->sample->strata[i]);
    }
    sim_blocks_end(status);
    return status;
}
