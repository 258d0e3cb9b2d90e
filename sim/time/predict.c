#include "sim/time/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/global_memory.h"
#include "model/gpu_limits.h"
#include "model/time/footprint.h"
#include "model/time/time.h"

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
    sim_work_log_launch(&record);
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

// ---- Work of each launch, as a file that the model is fitted to ----

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

void sim_work_log_launch(const struct launch_record *launch) {
    append(WORK_OF_LAUNCH, launch, sizeof *launch, launch->work.intervals,
           launch->work.interval_count * sizeof *launch->work.intervals);
}

void sim_work_log_span(const struct span_record *span) {
    append(WORK_OF_SPAN, span, sizeof *span, NULL, 0);
}
