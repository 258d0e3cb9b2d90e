// Chooses the blocks that run, runs them, and sums their counts.
#include "sim/launch.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/time/time.h"
#include "sim/amdgcn/program.h"
#include "sim/block.h"
#include "sim/compile/arguments.h"
#include "sim/remap.h"
#include "sim/run.h"
#include "sim/sim_device.h"
#include "sim/time/interval.h"
#include "sim/time/predict.h"
#include "sim/traffic.h"
#include "sim/wave.h"

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

// Each lane has its own copy of a value that is passed by its address.
ON_ANY_STACK static void call_with_copies(void *context) {
    struct call *call = context;
    const struct sim_call_values *given = &call->values;
    _Alignas(SIM_CALL_ALIGNMENT) unsigned char copies[SIM_CALL_COPIED];
    void *values[SIM_PARAMETERS], *pointers[SIM_PARAMETERS];
    size_t used = 0;
    memcpy(values, given->values, sizeof values);
    for (size_t i = 0; i < given->reference_count; i++) {
        const struct sim_call_reference *reference = &given->references[i];
        pointers[i] = memcpy(copies + used, reference->from, reference->bytes);
        values[reference->value] = &pointers[i];
        used += (reference->bytes + SIM_CALL_ALIGNMENT - 1) / SIM_CALL_ALIGNMENT * SIM_CALL_ALIGNMENT;
    }
    ffi_call(call->interface, call->function, NULL, values);
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
    sim_turn.call_kernel = call->values.are_words         ? call_with_words
                           : call->values.reference_count ? call_with_copies
                                                          : call_kernel;
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
                               .threads = sim->threads,
                               .setback = &compiled->setback,
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
    enum status status = sim_blocks_begin(launch);
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
    struct sim_kind *kinds = malloc(count * sizeof *kinds);
    enum status status =
        kinds ? STATUS_OK : error_set(run->error, STATUS_FAILED, "no memory for the kinds of the blocks");
    if (status == STATUS_OK) {
        status = look(run, count, kinds);
    }
    if (status == STATUS_OK) {
        status = sim_sample_take(sample, blocks, wanted, kinds, count, run->error);
    }
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
    enum status status = sim_kernel_check(kernel, device->info.gpu, launch, error);
    if (status != STATUS_OK) {
        return status;
    }
    pthread_mutex_lock(&running);
    struct sim_launch run = prepare(sim, kernel, launch, &call, error);
    status = choose(sim, &run);
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
    const uint32_t shared_bytes = run->entry->shared_bytes + sim_remap_more_shared(run->remap);
    sim_predict(run->gpu, launch, shared_bytes, run->entry->thread_registers, run->intervals, &sim->walked, counts);
    sim->predicted.ns += counts->predicted_ns;
    sim->predicted.launches++;
    sim->predicted.bound_ns[counts->bound.by] += counts->bound.ns;
}

// Allocates the counters and clears those of the launch before.
static enum status begin_counting(struct sim_device *sim, struct sim_launch *run, struct sim_compiled *compiled) {
    const struct gpu *gpu = run->gpu;
    sim->counted = NULL;
    sim_sites_destroy(&compiled->sites);
    sim_memory_fold(&sim->memory, &compiled->file_data, gpu, 0);
    sim_memory_traffic(&sim->memory, &compiled->file_data, gpu);
    enum status status = sim_sites_create(&compiled->sites, &compiled->module, run->error);
    size_t shared = compiled->module.shared.end - compiled->module.shared.begin + gpu->shared_bytes_per_block;
    if (status == STATUS_OK) {
        const uint32_t threads = (uint32_t)dimensions_count(&run->launch->block), width = gpu->warp_width;
        const struct sim_race_extent extent = {.bytes = shared,
                                               .blocks = run->cluster_blocks,
                                               .warps = (threads + width - 1) / width,
                                               .within_warps = lanes_are_threads(gpu)};
        status = sim_race_begin(&sim->race, &extent, run->error);
    }
    run->requests = status == STATUS_OK ? calloc(run->sample->block_count + 1, sizeof *run->requests) : NULL;
    if (status == STATUS_OK && !run->requests) {
        status = error_set(run->error, STATUS_FAILED, "no memory for the counts of the blocks");
    }
    return status;
}

static enum status begin_chain(struct sim_device *sim, struct sim_launch *run) {
    enum status status = STATUS_OK;
    if (!run->launch->chained) {
        sim_caches_forget(&sim->caches);
        return status;
    }
    run->caches = &sim->caches;
    if (!sim->caches.latency) {
        status = sim_caches_create(&sim->caches, run->gpu, run->error);
    }
    sim_caches_begin_launch(&sim->caches);
    return status;
}

static enum status begin_recording(struct sim_launch *run) {
    struct sim_recording *recording = run->recording;
    if (!recording) {
        return STATUS_OK;
    }
    recording->fixed_bytes = run->module->shared.end - run->module->shared.begin;
    recording->dynamic_bytes = run->launch->dynamic_shared_bytes;
    return sim_recording_begin(recording, run->error);
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
    run.recording = sim->recording.on ? &sim->recording : NULL;
    run.remap = sim->remap;
    enum status status = choose(sim, &run);
    if (status == STATUS_OK) {
        status = begin_chain(sim, &run);
    }
    if (status == STATUS_OK) {
        status = begin_counting(sim, &run, kernel->compiled);
    }
    if (status == STATUS_OK) {
        status = sim_intervals_create(&intervals, SIM_INTERVALS, error);
    }
    if (status == STATUS_OK) {
        status = begin_recording(&run);
    }
    if (status == STATUS_OK) {
        status = sim_near_create(&near, run.cluster_blocks * run.gpu->l1_bytes / run.gpu->sector_bytes, error);
    }
    if (status == STATUS_OK) {
        sim_progress_begin(&run.progress, sim->device.info.shows_progress ? sim->progress : SIM_PROGRESS_NONE,
                           run.entry->name, run.sample->block_count);
        status = sim_run(&run);
        sim_progress_end(&run.progress);
    }
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
    enum status status = sim_kernel_check(kernel, device->info.gpu, launch, error);
    if (status != STATUS_OK) {
        return status;
    }
    pthread_mutex_lock(&running);
    status = run_on(sim_of(device), kernel, launch, error);
    pthread_mutex_unlock(&running);
    return status;
}
