#include "sim/block.h"

#include <stddef.h>
#include <string.h>

#include "sim/compile/loops.h"
#include "sim/fault.h"
#include "sim/program.h"
#include "sim/scatter.h"

// Global, because one kernel runs at a time in this process (launch.c), and the 1024 stacks serve every device.
static struct {
    struct coroutine coroutines[SIM_BLOCK_THREADS];
    struct coroutine *idle[SIM_BLOCK_THREADS]; // the last one is used first, because its stack is in the cache
    uint32_t idle_count, created;
    struct sim_block block;
} machine;

// ---- Coroutines ----

static struct coroutine *take_coroutine(struct error *error) {
    if (machine.idle_count) {
        return machine.idle[--machine.idle_count];
    }
    struct coroutine *coroutine = &machine.coroutines[machine.created];
    if (coroutine_create(coroutine, machine.created, error) != STATUS_OK) {
        return NULL;
    }
    machine.created++;
    coroutine_prepare(coroutine, sim_lane_main);
    return coroutine;
}

enum status sim_warp_start(struct sim_warp *warp, struct error *error) {
    const uint32_t coroutines = sim_turn.by_wave ? 1 : warp->count;
    for (uint32_t i = 0; i < coroutines; i++) {
        struct sim_lane *lane = &warp->lanes[i];
        lane->coroutine = take_coroutine(error);
        if (!lane->coroutine) {
            return STATUS_FAILED;
        }
        lane->deepest = (uintptr_t)lane->coroutine->stack_top - 0xffff * 16;
    }
    return STATUS_OK;
}

void sim_lane_finish(struct sim_lane *lane) {
    machine.idle[machine.idle_count++] = lane->coroutine;
    lane->coroutine = NULL;
}

void sim_lane_abandon(struct sim_lane *lane) {
    coroutine_prepare(lane->coroutine, sim_lane_main);
    sim_lane_finish(lane);
}

// ---- Blocks ----

// What no block changes: each lane's place.
static void place_lanes(const struct sim_launch *launch) {
    const struct dimensions *size = &launch->launch->block;
    const uint32_t width = launch->gpu->warp_width, threads = sim_block_threads(launch->launch);
    for (uint32_t thread = 0; thread < threads; thread++) {
        struct sim_lane *lane = &machine.block.lanes[thread];
        lane->warp = &machine.block.warps[thread / width];
        lane->number = thread % width;
        lane->thread = (struct dimensions){thread % size->x, thread / size->x % size->y, thread / size->x / size->y};
    }
}

// Each launch numbers its blocks from 0, so what an earlier launch left could look like this one's.
static void forget_held(void) {
    for (size_t i = 0; i < sizeof machine.block.warps / sizeof *machine.block.warps; i++) {
        machine.block.warps[i].held = (struct sim_held){0};
    }
}

// A copy, because compilers clear this many bytes by an instruction that is slow to start.
static void clear_lane(struct sim_lane *lane) {
    static const struct sim_lane none;
    const size_t kept = offsetof(struct sim_lane, coroutine);
    memcpy((char *)lane + kept, (const char *)&none + kept, sizeof *lane - kept);
}

// since: a start of the events' numbers that is the same whichever blocks this process ran before.
static void set_up_warp(const struct sim_launch *launch, uint32_t index, uint32_t threads, uint64_t since) {
    uint32_t width = launch->gpu->warp_width, first = index * width;
    struct sim_warp *warp = &machine.block.warps[index];
    warp->index = index;
    warp->count = threads - first < width ? threads - first : width;
    warp->live = warp->count == 64 ? UINT64_MAX : (UINT64_C(1) << warp->count) - 1;
    warp->at_barrier = 0;
    warp->barriers = 0;
    warp->ended = 0;
    warp->cycles = 0;
    warp->path = (struct sim_path){0};
    warp->outstanding = (struct sim_outstanding){0};
    warp->jump_needs = warp->use_needs = 0;
    warp->use_loop = LOOP_NONE;
    warp->stored = warp->fenced = false;
    warp->copies = 0;
    warp->under_way[0] = warp->under_way[1] = 0;
    memset(warp->rounds, 0, sizeof warp->rounds);
    memset(warp->passed, 0, sizeof warp->passed);
    warp->held.since = since;
    warp->lanes = &machine.block.lanes[first];
    for (uint32_t lane = 0; lane < WARP_WIDTH_MAX; lane++) {
        warp->key[lane] = lane < warp->count ? 0 : UINT64_MAX;
        warp->step[lane] = SIM_START;
    }
    for (uint32_t lane = 0; lane < warp->count; lane++) {
        clear_lane(&warp->lanes[lane]);
    }
}

static void poison_shared(const struct sim_launch *launch) {
    const struct sim_module *module = launch->module;
    memset((void *)module->shared.begin, SIM_POISON, module->shared.end - module->shared.begin);
    memset((void *)module->dynamic.begin, SIM_POISON, launch->launch->dynamic_shared_bytes);
}

static struct sim_block *set_up(const struct sim_launch *launch, uint64_t number, uint32_t threads) {
    const struct dimensions *grid = &launch->launch->grid;
    const uint32_t width = launch->gpu->warp_width;
    struct sim_block *block = &machine.block;
    sim_turn.block = (struct dimensions){(uint32_t)(number % grid->x), (uint32_t)(number / grid->x % grid->y),
                                         (uint32_t)(number / grid->x / grid->y)};
    block->warp_count = (threads + width - 1) / width;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        set_up_warp(launch, i, threads, sim_scatter(number + 1));
    }
    return block;
}

struct sim_block *sim_block_set_up(struct sim_launch *launch, uint64_t number) {
    struct sim_block *block = set_up(launch, number, sim_block_threads(launch->launch));
    poison_shared(launch);
    launch->race->interval++;
    return block;
}

struct sim_block *sim_block_set_up_one_thread(const struct sim_launch *launch, uint64_t number) {
    return set_up(launch, number, 1);
}

// ---- The launch ----

void sim_blocks_begin(struct sim_launch *launch) {
    const struct sim_range *shared = &launch->module->shared;
    launch->shared_offset = shared->end - shared->begin;
    launch->last_buffer = NULL;
    launch->steps = 0;
    launch->failed_sections = 0;
    place_lanes(launch);
    forget_held();
    clock_gettime(CLOCK_MONOTONIC, &launch->begun);
    sim_turn.text = launch->module->text;
    sim_turn.shared = *shared;
    sim_turn.dynamic = launch->module->dynamic;
    sim_turn.nvidia = launch->gpu->vendor == VENDOR_NVIDIA;
    sim_turn.block_size = launch->launch->block;
    sim_turn.grid_size = launch->launch->grid;
    sim_turn.race = launch->race;
    sim_turn.dynamic_shared_bytes = launch->launch->dynamic_shared_bytes;
    sim_turn.nanoseconds_per_cycle = 1000.0 / launch->gpu->clock_mhz;
    sim_turn.ahead = launch->module->runs_ahead ? SIM_AHEAD : 0;
    sim_turn.names_barriers = false;
    sim_turn.by_wave = launch->module->program && launch->module->program->by_wave;
    sim_turn.fault_signal = 0;
    sim_faults_catch();
}

void sim_blocks_end(enum status status) {
    sim_faults_release();
    for (uint32_t i = 0; status != STATUS_OK && i < SIM_BLOCK_THREADS; i++) {
        if (machine.block.lanes[i].coroutine) {
            sim_lane_abandon(&machine.block.lanes[i]);
        }
    }
}
