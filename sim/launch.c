#include "sim/launch.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/time/time.h"
#include "model/time/time_constants.h"
#include "sim/amdgcn/program.h"
#include "sim/block.h"
#include "sim/compile/kernel.h"
#include "sim/lane.h"
#include "sim/program.h"
#include "sim/report.h"
#include "sim/requests.h"
#include "sim/sim_device.h"
#include "sim/step.h"
#include "sim/time.h"
#include "sim/traffic.h"
#include "sim/wave.h"

// A grid runs block by block, the warps of a block in turn, and the lanes of a warp in lockstep.

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
    uint64_t unused = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        count += (uint32_t)__builtin_popcountll(take_waiting(&block->warps[i], barrier, &unused));
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
    TRY(sim_warp_is_started(warp) ? STATUS_OK : sim_warp_start(warp, launch->error));
    return (sim_turn.by_wave ? sim_run_wave : sim_run_warp)(launch, warp);
}

// Runs each warp that can run. *ran: at least one could.
static enum status run_warps(struct sim_launch *launch, struct sim_block *block, bool *ran) {
    sim_block_enter(block);
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *warp = &block->warps[i];
        if (sim_runnable_lanes(warp)) {
            TRY(run_warp(launch, warp));
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
        sim_wave_fold_counts(launch);
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

// Runs these blocks of the sample.
static enum status run_blocks(struct sim_launch *launch, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        const uint64_t before = sim_sites_requests(launch->sites);
        launch->progress.done = i;
        TRY(run_cluster(launch, launch->sample->blocks[i]));
        launch->requests[i] = sim_sites_requests(launch->sites) - before;
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
    const size_t first = stratum->first, neighbours = end_of_neighbours(launch, stratum);
    launch->weight = stratum->grid_blocks / (double)stratum->count;
    if (stratum->is_last) {
        *(uint32_t *)launch->launch->finished =
            (uint32_t)dimensions_count(&launch->launch->grid) - launch->cluster_blocks;
    }
    enum status status = run_blocks(launch, first, neighbours);
    if (status == STATUS_OK) {
        sim_memory_reach(launch->memory, launch->gpu);
        status = run_blocks(launch, neighbours, first + stratum->count);
    }
    launch->unit_loads += launch->weight * (double)launch->near->misses;
    launch->near->misses = 0;
    sim_sites_fold(launch->sites, launch->weight);
    sim_intervals_fold(launch->intervals, launch->weight);
    sim_memory_fold(launch->memory, launch->file_data, launch->gpu, launch->weight);
    return status;
}

// Runs the sample's blocks and sums their counts, each kind of block by its weight. A fault ends the launch and names
// the source line; the device stays usable.
static enum status sim_run(struct sim_launch *launch) {
    if (launch->module->program && launch->module->program->by_wave) {
        sim_wave_forget_counts(launch->module);
    }
    enum status status = STATUS_OK;
    sim_blocks_begin(launch);
    for (size_t i = 0; status == STATUS_OK && i < launch->sample->stratum_count; i++) {
        status = run_stratum(launch, &launch->sample->strata[i]);
    }
    sim_blocks_end(status);
    return status;
}

// Chooses the blocks that run, runs them, and sums their counts.

enum {
    BLOCKS_LOOKED_AT = 16384 // at most, to find their kinds
};

// Hooks find the running launch in sim_turn, so launches from several threads must wait for each other.
static pthread_mutex_t running = PTHREAD_MUTEX_INITIALIZER;

// The kernel's call, which starts each lane.
struct call {
    ffi_cif *interface;
    void (*function)(void);
    struct sim_call_values values;
};

ON_ANY_STACK static void call_kernel(void *context) {
    struct call *call = context;
    ffi_call(call->interface, call->function, NULL, call->values.values);
}

// libffi takes longer than a short kernel does. A kernel ignores words beyond its parameters.
ON_ANY_STACK static void call_with_words(void *context) {
    typedef void kernel_of_words(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                                 uint64_t, uint64_t, uint64_t, uint64_t);
    const struct call *call = context;
    const uint64_t *w = call->values.words;
    ((kernel_of_words *)call->function)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11]);
}

ON_ANY_STACK static void call_translation(void *context) {
    ((struct call *)context)->function();
}

static void prepare_call(struct kernel *kernel, const struct launch *launch, struct call *call) {
    call->interface = &kernel->call.interface;
    call->function = kernel->entry.function;
    const struct sim_module *module = &kernel->compiled->module;
    if (module->program) {
        sim_place_arguments(module->program, launch, module->parameters, NULL); // sim_kernel_check found them right
        if (module->program->by_wave) {
            gcn_place_launch(module->program, launch, module->parameters);
        }
        sim_turn.call_kernel = call_translation;
        sim_turn.call = call;
        return;
    }
    sim_call_fill(&kernel->entry.parameters, launch, &call->values);
    sim_turn.call_kernel = call->values.are_words ? call_with_words : call_kernel;
    sim_turn.call = call;
}

// From sm_70 on the lanes of a warp run as independent threads.
static bool lanes_are_threads(const struct gpu *gpu) {
    unsigned version = 0;
    return gpu->vendor == VENDOR_NVIDIA && sscanf(gpu->arch, "sm_%u", &version) == 1 && version >= 70;
}

static struct dimensions cluster_of(const struct sim_program *program) {
    return program && program->cluster[0]
               ? (struct dimensions){program->cluster[0], program->cluster[1], program->cluster[2]}
               : (struct dimensions){1, 1, 1};
}

static struct sim_launch prepare(struct sim_device *sim, struct kernel *kernel, const struct launch *launch,
                                 struct call *call, struct error *error) {
    struct sim_compiled *compiled = kernel->compiled;
    prepare_call(kernel, launch, call);
    const struct dimensions cluster = cluster_of(compiled->module.program);
    return (struct sim_launch){.gpu = sim->device.info.gpu,
                               .module = &compiled->module,
                               .entry = &kernel->entry,
                               .launch = launch,
                               .cluster = cluster,
                               .cluster_blocks = (uint32_t)dimensions_count(&cluster),
                               .memory = &sim->memory,
                               .file_data = &compiled->file_data,
                               .sites = &compiled->sites,
                               .race = &sim->race,
                               .sample = &sim->sample,
                               .limit_s = sim->time_limit_s,
                               .error = error};
}

// ---- The kinds of blocks ----

enum {
    LOOK_STEPS = 256, // of a thread, at most
    NEIGHBOURS = 16   // that are looked at together, because neighbours share sectors and rows of memory
};

// The first step of thread 0 that is not a branch; 0: it returns. A fault is ignored here, because the block's run
// finds it.
static uintptr_t first_visible_step(struct sim_warp *warp) {
    for (int step = 0; step < LOOK_STEPS; step++) {
        sim_run_group(warp, 1);
        if (!(warp->live & 1)) {
            return 0;
        }
        bool quiet = warp->step[0] == SIM_BRANCH || warp->step[0] == SIM_PAUSE;
        if (sim_turn.fault_signal || !quiet) {
            break;
        }
    }
    sim_turn.fault_signal = 0;
    return sim_key_pc(warp->key[0]);
}

// Numbers of neighbours, which fill 0 ... blocks - 1 evenly for any count: they begin at multiples of the golden ratio.
static uint64_t spread(uint64_t index, uint64_t count, uint64_t blocks) {
    const double turns = (double)(index / NEIGHBOURS) * 0.6180339887498949;
    const uint64_t first = (uint64_t)((turns - floor(turns)) * (double)(blocks / NEIGHBOURS)) * NEIGHBOURS;
    return count == blocks ? index : first + index % NEIGHBOURS;
}

static enum status look_at(struct sim_launch *launch, struct sim_kind *kind) {
    struct sim_warp *warp = &sim_block_set_up_one_thread(launch, kind->block)->warps[0];
    TRY(sim_warp_start(warp, launch->error));
    kind->kind = sim_turn.by_wave ? sim_wave_first_step(launch, warp) : first_visible_step(warp);
    sim_lane_abandon(&warp->lanes[0]);
    return STATUS_OK;
}

// Finds the kinds of `count` blocks, spread over the grid: the first step of a block's first thread that other threads
// can see. No access is carried out.
static enum status look(struct sim_launch *launch, uint64_t count, struct sim_kind *kinds) {
    const uint64_t blocks = dimensions_count(&launch->launch->grid) / launch->cluster_blocks;
    enum status status = STATUS_OK;
    sim_blocks_begin(launch);
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        kinds[i].block = spread(i, count, blocks);
        status = look_at(launch, &kinds[i]);
    }
    sim_blocks_end(status);
    return status;
}

// ---- The sample ----

static enum status look_and_take(struct sim_launch *run, uint64_t blocks, uint64_t wanted, struct sim_sample *sample) {
    uint64_t count = blocks < BLOCKS_LOOKED_AT ? blocks : BLOCKS_LOOKED_AT;
    struct sim_kind *kinds = memory_zeros(count, sizeof *kinds);
    enum status status = look(run, count, kinds);
    THEN(status, sim_sample_take(sample, blocks, wanted, kinds, count, run->error));
    if (status == STATUS_OK && run->launch->finished) {
        sim_sample_add_last(sample, blocks);
    }
    free(kinds);
    return status;
}

// The sample's units are clusters; those who ask for its blocks want the blocks of these.
static enum status list_blocks(const struct sim_launch *run, struct sim_sample *sample) {
    const struct dimensions *grid = &run->launch->grid;
    const size_t each = run->cluster_blocks;
    sample->cluster_blocks = malloc((sample->block_count * each + 1) * sizeof *sample->cluster_blocks);
    if (!sample->cluster_blocks) {
        return error_set(run->error, STATUS_FAILED, "no memory for the numbers of the blocks");
    }
    for (size_t i = 0; i < sample->block_count * each; i++) {
        const struct dimensions at = sim_block_index(run, sample->blocks[i / each], (uint32_t)(i % each));
        sample->cluster_blocks[i] = ((uint64_t)at.z * grid->y + at.y) * grid->x + at.x;
    }
    sample->cluster_block_count = sample->block_count * each;
    return STATUS_OK;
}

static enum status choose(struct sim_device *sim, struct sim_launch *run) {
    const uint64_t blocks = dimensions_count(&run->launch->grid), wanted = sim->device.info.simulated_blocks;
    const uint64_t clusters = blocks / run->cluster_blocks;
    const uint64_t wanted_clusters = (wanted + run->cluster_blocks - 1) / run->cluster_blocks;
    sim_sample_destroy(&sim->sample);
    TRY(wanted_clusters && wanted_clusters < clusters ? look_and_take(run, clusters, wanted_clusters, &sim->sample)
                                                      : sim_sample_all(&sim->sample, clusters, run->error));
    return run->cluster_blocks > 1 && sim->sample.is_part ? list_blocks(run, &sim->sample) : STATUS_OK;
}

enum status sim_choose_blocks(struct device *device, struct kernel *kernel, const struct launch *launch,
                              struct error *error) {
    struct sim_device *sim = sim_of(device);
    struct call call;
    TRY(sim_kernel_check(kernel, device->info.gpu, launch, error));
    pthread_mutex_lock(&running);
    struct sim_launch run = prepare(sim, kernel, launch, &call, error);
    const enum status status = choose(sim, &run);
    pthread_mutex_unlock(&running);
    return status;
}

const uint64_t *sim_chosen_blocks(const struct device *device, size_t *count) {
    const struct sim_sample *sample = &((const struct sim_device *)device)->sample;
    if (!sample->is_part) {
        return NULL;
    }
    *count = sample->cluster_blocks ? sample->cluster_block_count : sample->block_count;
    return sample->cluster_blocks ? sample->cluster_blocks : sample->blocks;
}

// ---- Counts ----

static void take_counts(struct sim_device *sim, const struct sim_launch *run, struct sim_compiled *compiled) {
    const struct launch *launch = run->launch;
    const uint64_t blocks = dimensions_count(&launch->grid), threads = dimensions_count(&launch->block);
    const uint32_t width = run->gpu->warp_width;
    struct launch_counts *counts = &sim->counts;
    *counts = (struct launch_counts){.warps = (double)(blocks * ((threads + width - 1) / width))};
    sim_sites_sum(&compiled->sites, counts);
    const double scale = sim_sample_scale(run->sample);
    counts->atomics_in_turn = sim_contention_most(run->contention, scale);
    counts->atomic_slice_bytes = sim_contention_slice_bytes(run->contention, run->gpu, scale, blocks);
    counts->atomic_float_bytes = run->contention->float_bytes;
    counts->chain_cycles = run->chain_cycles;
    counts->memory = sim_memory_traffic(&sim->memory, &compiled->file_data, run->gpu);
    counts->memory.unit_load_bytes = run->unit_loads * run->gpu->sector_bytes;
    counts->device_read_bytes = counts->memory.load_bytes + counts->memory.fill_bytes;
    counts->device_write_bytes = counts->memory.write_bytes;
    counts->cached_bytes =
        (1 - memory_share(run->gpu, &counts->memory)) * (counts->device_read_bytes + counts->device_write_bytes);
    counts->sampled = run->sample->is_part;
    counts->sampling_error_pct = sim_sample_error_pct(run->sample, run->requests);
    const uint32_t shared_bytes = run->entry->shared_bytes + (run->remap ? sim_remap_more_shared(run->remap) : 0);
    sim_predict(run->gpu, launch, shared_bytes, run->entry->thread_registers, run->intervals, &sim->walked, counts);
    sim->predicted.ns += counts->predicted_ns;
    sim->predicted.launches++;
    sim->predicted.bound_ns[counts->bound.by] += counts->bound.ns;
}

// Allocates the counters and clears those of the launch before.
static void begin_counting(struct sim_device *sim, struct sim_launch *run, struct sim_compiled *compiled) {
    const struct gpu *gpu = run->gpu;
    const uint32_t threads = (uint32_t)dimensions_count(&run->launch->block), width = gpu->warp_width;
    const struct sim_range *shared = &compiled->module.shared;
    const struct sim_race_extent extent = {.bytes = shared->end - shared->begin + gpu->shared_bytes_per_block,
                                           .blocks = run->cluster_blocks,
                                           .warps = (threads + width - 1) / width,
                                           .within_warps = lanes_are_threads(gpu)};
    sim->counted = NULL;
    sim_sites_destroy(&compiled->sites);
    sim_memory_fold(&sim->memory, &compiled->file_data, gpu, 0);
    sim_memory_traffic(&sim->memory, &compiled->file_data, gpu);
    sim_sites_create(&compiled->sites, &compiled->module);
    sim_race_begin(&sim->race, &extent);
    run->requests = memory_zeros(run->sample->block_count, sizeof *run->requests);
    if (run->recording) {
        run->recording->fixed_bytes = shared->end - shared->begin;
        run->recording->dynamic_bytes = run->launch->dynamic_shared_bytes;
        sim_recording_begin(run->recording);
    }
}

static enum status begin_chain(struct sim_device *sim, struct sim_launch *run) {
    if (!run->launch->chained) {
        sim_caches_forget(&sim->caches);
        return STATUS_OK;
    }
    run->caches = &sim->caches;
    TRY(sim->caches.latency ? STATUS_OK : sim_caches_create(&sim->caches, run->gpu, run->error));
    sim_caches_begin_launch(&sim->caches);
    return STATUS_OK;
}

static enum status run_on(struct sim_device *sim, struct kernel *kernel, const struct launch *launch,
                          struct error *error) {
    struct call call;
    struct sim_contention contention = {0};
    struct sim_intervals intervals = {0};
    struct sim_near near = {0};
    struct sim_launch run = prepare(sim, kernel, launch, &call, error);
    run.contention = &contention;
    run.intervals = &intervals;
    run.near = &near;
    run.recording = sim->recording;
    run.remap = sim->remap;
    TRY(choose(sim, &run));
    TRY(begin_chain(sim, &run));
    begin_counting(sim, &run, kernel->compiled);
    sim_intervals_create(&intervals);
    sim_near_create(&near, run.cluster_blocks * run.gpu->l1_bytes / run.gpu->sector_bytes);
    sim_progress_begin(&run.progress, sim->device.info.shows_progress ? sim->progress : SIM_PROGRESS_NONE,
                       run.entry->name, run.sample->block_count);
    const enum status status = sim_run(&run);
    sim_progress_end(&run.progress);
    if (status == STATUS_OK) {
        take_counts(sim, &run, kernel->compiled);
        sim->counted = kernel->compiled;
        sim->counted_entry = &kernel->entry;
    }
    free(run.requests);
    sim_contention_destroy(&contention);
    sim_intervals_destroy(&intervals);
    sim_near_destroy(&near);
    return status;
}

enum status sim_launch_kernel(struct device *device, struct stream *stream, struct kernel *kernel,
                              const struct launch *launch, struct error *error) {
    (void)stream;
    TRY(sim_kernel_check(kernel, device->info.gpu, launch, error));
    pthread_mutex_lock(&running);
    const enum status status = run_on(sim_of(device), kernel, launch, error);
    pthread_mutex_unlock(&running);
    return status;
}
