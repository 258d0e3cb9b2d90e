#include "device/sim/run.h"

#include <math.h>
#include <string.h>

#include "device/sim/fault.h"
#include "device/sim/warp.h"

enum {
    WARPS_MAX = SIM_BLOCK_THREADS / 32,
    SLICE_STEPS = 4096,  // of one warp, then the next has its turn: warps may wait for each other
    STEPS_A_LOOK = 1024, // at the clock
    LOOK_STEPS = 256,    // of a thread whose kind is looked for
};

// Lanes and their coroutines outlive launches.
static struct {
    struct coroutine coroutines[SIM_BLOCK_THREADS];
    struct coroutine *idle[SIM_BLOCK_THREADS]; // the last one is the first to be used again: its stack is in the cache
    uint32_t idle_count, created;
    struct sim_lane lanes[SIM_BLOCK_THREADS];
    struct sim_warp warps[WARPS_MAX];
    uint32_t warp_count;
} machine;

static uint32_t threads_of(const struct launch *launch) {
    return launch->block.x * launch->block.y * launch->block.z;
}

// ---- Coroutines ----

static struct coroutine *take_coroutine(struct sim_launch *launch) {
    if (machine.idle_count) {
        return machine.idle[--machine.idle_count];
    }
    struct coroutine *coroutine = &machine.coroutines[machine.created];
    if (coroutine_create(coroutine, machine.created, launch->error) != STATUS_OK) {
        return NULL;
    }
    machine.created++;
    coroutine_prepare(coroutine, sim_lane_main);
    return coroutine;
}

static void give_back_coroutine(struct sim_lane *lane) {
    machine.idle[machine.idle_count++] = lane->coroutine;
    lane->coroutine = NULL;
}

// After a fault: what the lanes were doing is forgotten.
static void drop_lanes(void) {
    for (uint32_t i = 0; i < SIM_BLOCK_THREADS; i++) {
        if (machine.lanes[i].coroutine) {
            coroutine_prepare(machine.lanes[i].coroutine, sim_lane_main);
            give_back_coroutine(&machine.lanes[i]);
        }
    }
}

// ---- Blocks ----

static void set_up_warp(struct sim_launch *launch, uint32_t index, uint32_t threads) {
    uint32_t width = launch->gpu->warp_width, first = index * width;
    struct sim_warp *warp = &machine.warps[index];
    const struct dimensions *size = &launch->launch->block;
    warp->index = index;
    warp->count = threads - first < width ? threads - first : width;
    warp->live = warp->count == 64 ? UINT64_MAX : (UINT64_C(1) << warp->count) - 1;
    warp->at_barrier = 0;
    warp->barriers = 0;
    warp->cycles = 0;
    warp->lanes = &machine.lanes[first];
    for (uint32_t lane = 0; lane < WARP_WIDTH_MAX; lane++) {
        warp->key[lane] = lane < warp->count ? 0 : UINT64_MAX;
        warp->step[lane] = SIM_START;
    }
    for (uint32_t lane = 0; lane < warp->count; lane++) {
        uint32_t thread = first + lane;
        warp->lanes[lane] =
            (struct sim_lane){.warp = warp,
                              .number = lane,
                              .thread = {thread % size->x, thread / size->x % size->y, thread / size->x / size->y}};
    }
}

static void poison_shared(const struct sim_launch *launch) {
    const struct sim_module *module = launch->module;
    memset((void *)module->shared.begin, SIM_POISON, module->shared.end - module->shared.begin);
    memset((void *)module->dynamic.begin, SIM_POISON, launch->launch->dynamic_shared_bytes);
}

static void place_block(const struct sim_launch *launch, uint64_t block) {
    const struct dimensions *grid = &launch->launch->grid;
    sim_turn.block = (struct dimensions){(uint32_t)(block % grid->x), (uint32_t)(block / grid->x % grid->y),
                                         (uint32_t)(block / grid->x / grid->y)};
}

static void set_up_block(struct sim_launch *launch, uint64_t block) {
    uint32_t threads = threads_of(launch->launch), width = launch->gpu->warp_width;
    place_block(launch, block);
    machine.warp_count = (threads + width - 1) / width;
    for (uint32_t i = 0; i < machine.warp_count; i++) {
        set_up_warp(launch, i, threads);
    }
    poison_shared(launch);
    launch->race->interval++;
}

// A warp's lanes get their stacks when it first runs: where warps never wait, all of them use the same few.
static enum status start_warp(struct sim_launch *launch, struct sim_warp *warp) {
    for (uint32_t lane = 0; lane < warp->count; lane++) {
        warp->lanes[lane].coroutine = take_coroutine(launch);
        if (!warp->lanes[lane].coroutine) {
            return STATUS_FAILED;
        }
    }
    return STATUS_OK;
}

// ---- Steps ----

static inline uint64_t runnable(const struct sim_warp *warp) {
    return warp->live & ~warp->at_barrier;
}

// The lanes that stand lowest. Mostly all stand at one place.
static uint64_t lowest(const struct sim_warp *warp, uint64_t candidates) {
    uint64_t key = warp->key[__builtin_ctzll(candidates)], group = candidates;
    bool alike = true;
    for (uint64_t left = candidates; left; left &= left - 1) {
        uint64_t own = warp->key[__builtin_ctzll(left)];
        alike &= own == key;
        key = own < key ? own : key;
    }
    if (alike) {
        return group;
    }
    group = 0;
    for (uint64_t left = candidates; left; left &= left - 1) {
        group |= (uint64_t)(warp->key[__builtin_ctzll(left)] == key) << __builtin_ctzll(left);
    }
    return group;
}

static void count_step(struct sim_warp *warp, struct sim_site *site, uint64_t group, uint64_t cycles) {
    site->instructions++;
    site->lanes += (uint64_t)__builtin_popcountll(group);
    warp->cycles += cycles;
}

static void wait_at_barrier(struct sim_warp *warp, uint64_t group) {
    warp->barrier_pc = sim_key_pc(warp->key[__builtin_ctzll(group)]);
    warp->at_barrier |= group;
}

static enum status report_split_barrier(struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane,
                                        uintptr_t other_pc) {
    char other[256];
    return sim_report(launch, warp, lane,
                      "waits at this barrier while other threads of the block wait at the one of %s: let all threads "
                      "reach the same one",
                      sim_module_place_text(launch->module, other_pc, other, sizeof other));
}

// Two barriers of one line are one: the compiler may have copied the line.
static bool same_line(const struct sim_launch *launch, uintptr_t pc, uintptr_t other) {
    const char *file, *other_file;
    uint32_t line, other_line;
    if (pc == other) {
        return true;
    }
    sim_module_place(launch->module, pc, &file, &line);
    sim_module_place(launch->module, other, &other_file, &other_line);
    return line == other_line && file && other_file && !strcmp(file, other_file);
}

static enum status exchange(struct sim_launch *launch, struct sim_warp *warp, uint64_t group, enum sim_step step) {
    uint32_t most = launch->gpu->warp_width;
    uint64_t invalid = step == SIM_SHUFFLE_STEP ? sim_invalid_widths(warp, group, most) : 0;
    if (invalid) {
        uint32_t lane = (uint32_t)__builtin_ctzll(invalid);
        return sim_report(launch, warp, lane, "shuffles over %u lanes: give a power of two from 1 to %u",
                          warp->lanes[lane].exchange.width, most);
    }
    sim_exchange_values(warp, group, step);
    return STATUS_OK;
}

// What the group is about to do, done or counted. It shrinks to the lanes that go on together; none: they wait.
static enum status take_step(struct sim_launch *launch, struct sim_warp *warp, uint64_t *group) {
    uint32_t first = (uint32_t)__builtin_ctzll(*group);
    enum sim_step step = warp->step[first];
    if (step == SIM_START || step == SIM_PAUSE) {
        return STATUS_OK;
    }
    struct sim_site *site = sim_sites_find(launch->sites, sim_key_pc(warp->key[first]));
    if (!site) {
        return error_set(launch->error, STATUS_FAILED, "no memory for the counts of a kernel");
    }
    uint64_t cycles = 1, arrived = *group;
    enum status status = STATUS_OK;
    switch (step) {
    case SIM_START:
    case SIM_PAUSE:
        break; // not reached
    case SIM_LOAD:
    case SIM_STORE:
    case SIM_ATOMIC:
        status = sim_memory_step(launch, warp, group, site, &cycles);
        break;
    case SIM_BRANCH:
        site->branches++;
        break;
    case SIM_BLOCK_BARRIER:
        site->barriers++;
        wait_at_barrier(warp, *group);
        *group = 0;
        break;
    case SIM_WARP_BARRIER:
        warp->barriers++;
        break;
    case SIM_SHUFFLE_STEP:
    case SIM_BALLOT_STEP:
        status = exchange(launch, warp, *group, step);
        break;
    case SIM_TRAP:
        return sim_report(launch, warp, first, "%s", warp->lanes[first].trap);
    }
    count_step(warp, site, *group ? *group : arrived, cycles);
    return status;
}

// Whether the group has to wait for other lanes that its step names and that can still come.
static bool is_incomplete(const struct sim_warp *warp, uint64_t group) {
    enum sim_step step = warp->step[__builtin_ctzll(group)];
    return (step == SIM_WARP_BARRIER || step == SIM_SHUFFLE_STEP || step == SIM_BALLOT_STEP) &&
           (sim_expected_lanes(warp, group) & runnable(warp) & ~group);
}

static double seconds_since(const struct timespec *begun) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begun->tv_sec) + (double)(now.tv_nsec - begun->tv_nsec) * 1e-9;
}

static enum status check_time(struct sim_launch *launch, const struct sim_warp *warp, uint64_t group) {
    if (++launch->steps % STEPS_A_LOOK || launch->limit_s <= 0 || seconds_since(&launch->begun) < launch->limit_s) {
        return STATUS_OK;
    }
    return sim_report(launch, warp, (uint32_t)__builtin_ctzll(group),
                      "still runs after %g s: it may never end, else allow it more time", launch->limit_s);
}

// Lets the group run to its next steps.
static enum status advance(struct sim_launch *launch, struct sim_warp *warp, uint64_t group) {
    sim_run_group(warp, group);
    if (sim_turn.fault_signal) {
        return sim_report_signal(launch, warp);
    }
    for (uint64_t left = group & ~warp->live; left; left &= left - 1) {
        give_back_coroutine(&warp->lanes[__builtin_ctzll(left)]);
    }
    return STATUS_OK;
}

// Runs the warp until all its lanes wait or have returned, or its slice is over.
static enum status run_warp(struct sim_launch *launch, struct sim_warp *warp) {
    uint64_t held = 0; // groups that wait for lanes of their warp
    for (int step = 0; step < SLICE_STEPS && runnable(warp); step++) {
        uint64_t candidates = runnable(warp) & ~held;
        bool stuck = !candidates; // what they wait for cannot come
        uint64_t group = lowest(warp, stuck ? runnable(warp) : candidates);
        enum status status = check_time(launch, warp, group);
        if (status != STATUS_OK) {
            return status;
        }
        if (!stuck && is_incomplete(warp, group)) {
            held |= group;
            continue;
        }
        status = take_step(launch, warp, &group);
        if (status == STATUS_OK && group) {
            status = advance(launch, warp, group);
        }
        if (status != STATUS_OK) {
            return status;
        }
        held = 0;
    }
    return STATUS_OK;
}

// ---- Barriers of the block ----

static enum status check_barrier(struct sim_launch *launch) {
    const struct sim_warp *first = NULL;
    uint32_t waiting = 0, threads = threads_of(launch->launch);
    for (uint32_t i = 0; i < machine.warp_count; i++) {
        const struct sim_warp *warp = &machine.warps[i];
        waiting += (uint32_t)__builtin_popcountll(warp->at_barrier);
        for (uint64_t left = warp->at_barrier; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctzll(left);
            if (!first) {
                first = warp;
            }
            if (!same_line(launch, sim_key_pc(warp->key[lane]), first->barrier_pc)) {
                return report_split_barrier(launch, warp, lane, first->barrier_pc);
            }
        }
    }
    if (waiting < threads) {
        return sim_report(launch, first, (uint32_t)__builtin_ctzll(first->at_barrier),
                          "%u threads of the block wait at this barrier, %u have returned without it: let all reach it",
                          waiting, threads - waiting);
    }
    return STATUS_OK;
}

static enum status open_barrier(struct sim_launch *launch) {
    enum status status = check_barrier(launch);
    if (status != STATUS_OK) {
        return status;
    }
    for (uint32_t i = 0; i < machine.warp_count; i++) {
        struct sim_warp *warp = &machine.warps[i];
        for (uint64_t left = warp->at_barrier; left; left &= left - 1) {
            int lane = __builtin_ctzll(left);
            warp->key[lane] = 0;
            warp->step[lane] = SIM_START;
        }
        warp->at_barrier = 0;
    }
    launch->race->interval++;
    return STATUS_OK;
}

// Runs each warp that can; *ran says whether one could, *live whether one has not returned.
static enum status run_warps(struct sim_launch *launch, bool *ran, bool *live) {
    *ran = *live = false;
    for (uint32_t i = 0; i < machine.warp_count; i++) {
        struct sim_warp *warp = &machine.warps[i];
        if (runnable(warp)) {
            enum status status =
                warp->lanes[__builtin_ctzll(warp->live)].coroutine ? STATUS_OK : start_warp(launch, warp);
            if (status == STATUS_OK) {
                status = run_warp(launch, warp);
            }
            if (status != STATUS_OK) {
                return status;
            }
            *ran = true;
        }
        *live |= warp->live != 0;
    }
    return STATUS_OK;
}

static enum status run_block(struct sim_launch *launch, uint64_t block) {
    enum status status = STATUS_OK;
    bool ran, live = true;
    set_up_block(launch, block);
    while (status == STATUS_OK && live) {
        status = run_warps(launch, &ran, &live);
        if (status == STATUS_OK && live && !ran) {
            status = open_barrier(launch);
        }
    }
    return status;
}

static void begin(struct sim_launch *launch) {
    const struct sim_range *shared = &launch->module->shared;
    launch->shared_offset = shared->end - shared->begin;
    launch->last_buffer = NULL;
    launch->steps = 0;
    clock_gettime(CLOCK_MONOTONIC, &launch->begun);
    sim_turn.block_size = launch->launch->block;
    sim_turn.grid_size = launch->launch->grid;
    sim_turn.nanoseconds_per_cycle = 1000.0 / launch->gpu->clock_mhz;
    sim_turn.fault_signal = 0;
    sim_faults_catch();
}

static void end(enum status status) {
    sim_faults_release();
    if (status != STATUS_OK) {
        drop_lanes();
    }
}

// ---- A look at blocks ----

// What thread 0 does first, branches apart; 0: it returns. What faults here faults again when the block runs.
static uintptr_t first_deed(struct sim_warp *warp) {
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

// Numbers that fill 0 ... blocks - 1 evenly, however many are taken: multiples of the golden ratio.
static uint64_t spread(uint64_t index, uint64_t count, uint64_t blocks) {
    const double turns = (double)index * 0.6180339887498949;
    return count == blocks ? index : (uint64_t)((turns - floor(turns)) * (double)blocks);
}

enum status sim_look(struct sim_launch *launch, uint64_t count, struct sim_kind *kinds) {
    const struct dimensions *grid = &launch->launch->grid;
    const uint64_t blocks = (uint64_t)grid->x * grid->y * grid->z;
    enum status status = STATUS_OK;
    begin(launch);
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        struct sim_warp *warp = &machine.warps[0];
        kinds[i].block = spread(i, count, blocks);
        place_block(launch, kinds[i].block);
        set_up_warp(launch, 0, 1);
        warp->lanes[0].coroutine = take_coroutine(launch);
        if (!warp->lanes[0].coroutine) {
            status = STATUS_FAILED;
            break;
        }
        kinds[i].kind = first_deed(warp);
        coroutine_prepare(warp->lanes[0].coroutine, sim_lane_main);
        give_back_coroutine(&warp->lanes[0]);
    }
    end(status);
    return status;
}

// ---- The launch ----

static enum status run_stratum(struct sim_launch *launch, const struct sim_stratum *stratum) {
    enum status status = STATUS_OK;
    uint64_t before = 0;
    for (size_t i = stratum->first; status == STATUS_OK && i < stratum->first + stratum->count; i++) {
        status = run_block(launch, launch->sample->blocks[i]);
        uint64_t requests = sim_sites_requests(launch->sites);
        launch->requests[i] = requests - before;
        before = requests;
    }
    const double weight = stratum->grid_blocks / (double)stratum->count;
    sim_sites_fold(launch->sites, weight);
    sim_memory_fold(launch->memory, launch->file_data, launch->gpu, weight);
    return status;
}

enum status sim_run(struct sim_launch *launch) {
    enum status status = STATUS_OK;
    begin(launch);
    for (size_t i = 0; status == STATUS_OK && i < launch->sample->stratum_count; i++) {
        status = run_stratum(launch, &launch->sample->strata[i]);
    }
    end(status);
    return status;
}
