#include "sim/time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/global_memory.h"
#include "model/gpus.h"
#include "model/time/time.h"
#include "model/time/time_constants.h"
#include "sim/block.h"
#include "sim/count.h"
#include "sim/lane.h"

// ---- Intervals ----

// What the blocks of a launch do between their barriers. Intervals that are alike are counted together.

// About how long a warp waits, in clocks, only to find the block's longest warp.
enum {
    FAR_WAIT = 200,
    SHARED_WAIT = 24,
    INSTRUCTIONS_PER_CLOCK = 2
};

enum {
    INTERVALS = 1024, // a power of two
    SLOTS = 2 * INTERVALS
};

void sim_intervals_create(struct sim_intervals *intervals) {
    *intervals = (struct sim_intervals){.interval = memory_zeros(INTERVALS, sizeof *intervals->interval),
                                        .since_fold = memory_zeros(INTERVALS, sizeof *intervals->since_fold),
                                        .index = memory_zeros(SLOTS, sizeof *intervals->index)};
}

void sim_intervals_destroy(struct sim_intervals *intervals) {
    free(intervals->interval);
    free(intervals->since_fold);
    free(intervals->index);
    *intervals = (struct sim_intervals){0};
}

static uint32_t hash_of(const struct block_interval *work) {
    const unsigned char *byte = (const unsigned char *)work;
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof *work; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, byte + i, sizeof word);
        hash = sim_mix(hash, word);
    }
    return (uint32_t)hash;
}

// The place of an interval with this work, which is created on first use.
static size_t find(struct sim_intervals *intervals, const struct block_interval *work) {
    for (uint32_t slot = hash_of(work);; slot++) {
        uint32_t *index = &intervals->index[slot % SLOTS];
        if (*index && !memcmp(&intervals->interval[*index - 1].work, work, sizeof *work)) {
            return *index - 1;
        }
        if (!*index) {
            if (intervals->count == INTERVALS) {
                return INTERVALS - 1;
            }
            intervals->interval[intervals->count++].work = *work;
            *index = (uint32_t)intervals->count;
            return intervals->count - 1;
        }
    }
}

void sim_intervals_fold(struct sim_intervals *intervals, double weight) {
    for (size_t i = 0; i < intervals->count; i++) {
        intervals->interval[i].blocks += weight * (double)intervals->since_fold[i];
        intervals->since_fold[i] = 0;
    }
}

// The warp that takes longest if it is alone: its instructions matter less than its waits.
static uint64_t length_of(const struct sim_path *path) {
    const struct block_interval *work = &path->work;
    return path->in_turn / (INSTRUCTIONS_PER_CLOCK * TIME_UNROLLED_ROUNDS) +
           (uint64_t)SHARED_WAIT * work->shared_waits + work->shared_passes +
           (uint64_t)FAR_WAIT * (work->far_waits + work->atomic_waits + work->fence_waits);
}

static uint64_t tail_length(const struct block_tail *tail) {
    return tail->work.path_instructions + (uint64_t)SHARED_WAIT * tail->work.shared_waits + tail->work.shared_passes +
           (uint64_t)FAR_WAIT * (tail->work.far_waits + tail->work.atomic_waits + tail->work.fence_waits);
}

static void take_longer(struct block_tail *longest, const struct block_tail *tail) {
    *longest = tail_length(tail) > tail_length(longest) ? *tail : *longest;
}

static void extend(struct block_tail *tail, const struct block_interval *work) {
    tail->work.path_instructions += work->path_instructions;
    tail->work.near_waits += work->near_waits;
    tail->work.far_waits += work->far_waits;
    tail->work.atomic_waits += work->atomic_waits;
    tail->work.fence_waits += work->fence_waits;
    tail->work.exchanges += work->exchanges;
    tail->work.shared_waits += work->shared_waits;
    tail->work.other_waits += work->other_waits;
    tail->work.shared_passes += work->shared_passes;
    tail->barriers += !work->ends_block;
}

static void add_to_tail(struct sim_intervals *intervals, const struct block_interval *work) {
    if (work->far_waits > 0) {
        intervals->current = (struct block_tail){0};
        intervals->has_loaded = true;
    } else if (intervals->has_loaded) {
        extend(&intervals->current, work);
    }
    if (work->after_atomic) {
        extend(&intervals->own_last, work);
    }
    intervals->has_returned |= work->atomic_waits > 0;
    if (work->ends_block) {
        take_longer(&intervals->longest, &intervals->current);
        take_longer(&intervals->last, &intervals->own_last);
        intervals->current = intervals->own_last = (struct block_tail){0};
        intervals->has_loaded = intervals->has_returned = false;
    }
}

void sim_intervals_add(struct sim_intervals *intervals, struct sim_block *block, bool ends_block) {
    const struct sim_path *longest = &block->warps[0].path;
    uint32_t instructions = 0, passes = 0, l1_cycles = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const struct sim_path *path = &block->warps[i].path;
        longest = length_of(path) > length_of(longest) ? path : longest;
        instructions += path->work.instructions;
        passes += path->work.passes + (uint32_t)path->cluster_clocks;
        l1_cycles += path->work.l1_cycles;
    }
    struct block_interval work = longest->work;
    work.instructions = instructions;
    work.passes = passes;
    work.l1_cycles = l1_cycles;
    work.path_instructions = longest->in_turn / TIME_UNROLLED_ROUNDS;
    work.ends_block = ends_block;
    work.after_atomic = intervals->has_returned;
    intervals->since_fold[find(intervals, &work)]++;
    if (block->rank == 0) { // the blocks of a cluster run at the same time
        add_to_tail(intervals, &work);
    }
    for (uint32_t i = 0; i < block->warp_count; i++) {
        block->warps[i].path = (struct sim_path){0};
    }
}

// ---- Work of launches, as a file that the model is fitted to ----

// A file that cannot be written lacks records, which its reader finds.
static void append(enum work_record_kind kind, const void *record, size_t bytes, const void *more, size_t more_bytes) {
    const char *name = getenv("BANKSHOT_SIM_WORK");
    FILE *file = name ? fopen(name, "ab") : NULL;
    if (file) {
        fwrite(&kind, sizeof kind, 1, file);
        fwrite(record, bytes, 1, file);
        fwrite(more, 1, more_bytes, file);
        fclose(file);
    }
}

void sim_work_log_span(const struct span_record *span) {
    append(WORK_OF_SPAN, span, sizeof *span, NULL, 0);
}

// ---- Prediction ----

// Predicts a launch's time from its counts: docs/simulator.md, Time.

// The bytes of the sectors that requests store to. A request of atomics that take turns on a sector counts it once,
// because the turns are another part of the time.
static double stored_bytes(const struct gpu *gpu, const struct launch_counts *counts) {
    const uint32_t sector_bytes = global_sector_bytes(gpu, OPERATION_STORE);
    return (counts->global_store.sectors - counts->global_store.again) * sector_bytes;
}

static void set_bound(const struct gpu *gpu, double blocks, struct launch_counts *counts) {
    const struct memory_traffic *memory = &counts->memory;
    const struct launch_least needs = {
        .blocks = blocks,
        .memory_bytes = least_memory_bytes(gpu, memory),
        .l2_bytes = fmin(memory->load_bytes, counts->global_load.sectors * gpu->sector_bytes) +
                    fmin(memory->write_bytes, stored_bytes(gpu, counts)),
        .passes = counts->least_passes,
        .requests = counts->least_requests,
    };
    counts->bound = launch_bound(gpu, &needs);
}

// Bytes of stored sectors that the request leaves out and other requests write. L2 has to read them, because its check
// bits are of a whole sector (US patent 8156404); without check bits, and on AMD, it writes the bytes alone.
static double others_bytes(const struct gpu *gpu, const struct launch_counts *counts) {
    const double left_out = stored_bytes(gpu, counts) - counts->global_store.unique_bytes;
    return gpu->without_ecc || gpu->vendor == VENDOR_AMD ? 0 : fmax(0, left_out - counts->memory.unwritten_bytes);
}

// The share of written sectors that loads touch, too.
static double reloaded_share(const struct memory_traffic *memory) {
    const double written = memory->write_bytes + memory->again_write_bytes;
    return written > 0 ? memory->reloaded_bytes / written : 0;
}

static struct launch_work work_of(const struct gpu *gpu, const struct launch *launch, uint32_t shared_bytes,
                                  uint32_t thread_registers, const struct sim_intervals *intervals,
                                  const struct launch_counts *counts) {
    const double known = launch->thread_instructions, others = others_bytes(gpu, counts);
    const double joined = fmin(others, counts->memory.write_bytes), reloaded = reloaded_share(&counts->memory);
    const double requests = counts->global_load.requests + counts->global_store.requests +
                            counts->shared_load.requests + counts->shared_store.requests;
    return (struct launch_work){
        .blocks = (double)dimensions_count(&launch->grid),
        .block_threads = (uint32_t)dimensions_count(&launch->block),
        .block_shared_bytes = shared_bytes + launch->dynamic_shared_bytes,
        // a launch states those of NVIDIA's compiler
        .thread_registers = gpu->vendor == VENDOR_NVIDIA ? launch->thread_registers : thread_registers,
        .memory = counts->memory,
        .intervals = intervals->interval,
        .interval_count = intervals->count,
        .tail = intervals->longest,
        .last = intervals->last,
        .stated_instructions = known > 0 ? known * counts->warps + requests - counts->left_out : 0,
        .load_requests = counts->global_load.requests,
        .store_requests = counts->global_store.requests,
        .load_lines = counts->global_load.lines,
        .store_lines = counts->global_store.lines,
        .store_cycles = counts->global_store.way_clocks,
        .load_sector_bytes = counts->global_load.sectors * gpu->sector_bytes,
        .store_sector_bytes = stored_bytes(gpu, counts),
        .joined_bytes = joined,
        .rewritten_bytes = (others - joined) * reloaded,
        .joined_sectors = joined / gpu->sector_bytes * (1 - reloaded),
        .passes = counts->kept_passes,
        .atomics = {counts->atomics_in_turn, counts->atomic_slice_bytes, counts->atomic_float_bytes},
        .chain_cycles = counts->chain_cycles,
    };
}

static void note(const struct gpu *gpu, const struct launch_work *work, struct cycle cycle, double bound_ns) {
    struct launch_record record = {.work = *work, .cycle = cycle, .bound_ns = bound_ns};
    snprintf(record.gpu, sizeof record.gpu, "%s", gpu->name);
    append(WORK_OF_LAUNCH, &record, sizeof record, work->intervals, work->interval_count * sizeof *work->intervals);
}

void sim_predict(const struct gpu *gpu, const struct launch *launch, uint32_t shared_bytes, uint32_t thread_registers,
                 const struct sim_intervals *intervals, struct walked *last, struct launch_counts *counts) {
    const struct launch_work work = work_of(gpu, launch, shared_bytes, thread_registers, intervals, counts);
    set_bound(gpu, work.blocks, counts);
    note(gpu, &work, launch->cycle, counts->bound.ns);
    const struct launch_time time = launch_time(gpu, &work);
    const double cycled_ns = footprint_ns(gpu, &work, launch->cycle, last);
    counts->predicted_ns = fmax(isnan(cycled_ns) ? time.ns : cycled_ns, counts->bound.ns);
    counts->predicted_by = time_part_name(time.most);
    memcpy(counts->part_ns, time.part_ns, sizeof counts->part_ns);
}
