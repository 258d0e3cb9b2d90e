#include "sim/block.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "sim/lane.h"
#include "sim/process.h"
#include "sim/program.h"
#include "util/clock.h"

// What a block needs to run beside others.
struct room {
    struct sim_block block;
    struct coroutine coroutines[SIM_BLOCK_THREADS];
    struct coroutine *idle[SIM_BLOCK_THREADS]; // the last one is used first, because its stack is in the cache
};

// Global, because one kernel runs at a time in this process (launch.c), and the stacks serve every device.
static struct {
    struct room first, *others[SIM_CLUSTER_BLOCKS]; // by rank; those of clusters are allocated when they are needed
    uint32_t idle_count, created;
} machine;

static struct room *room_of(uint32_t rank) {
    return rank ? machine.others[rank] : &machine.first;
}

// ---- Coroutines ----

static struct coroutine *take_coroutine(struct error *error) {
    if (machine.idle_count) {
        machine.idle_count--;
        return room_of(machine.idle_count / SIM_BLOCK_THREADS)->idle[machine.idle_count % SIM_BLOCK_THREADS];
    }
    struct coroutine *coroutine =
        &room_of(machine.created / SIM_BLOCK_THREADS)->coroutines[machine.created % SIM_BLOCK_THREADS];
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
    room_of(machine.idle_count / SIM_BLOCK_THREADS)->idle[machine.idle_count % SIM_BLOCK_THREADS] = lane->coroutine;
    machine.idle_count++;
    lane->coroutine = NULL;
}

void sim_lane_abandon(struct sim_lane *lane) {
    coroutine_prepare(lane->coroutine, sim_lane_main);
    sim_lane_finish(lane);
}

// ---- Blocks ----

// What no launch changes in the room: each lane's place.
static void place_lanes(const struct sim_launch *launch, struct sim_block *block) {
    const struct dimensions *size = &launch->launch->block;
    const uint32_t width = launch->gpu->warp_width, threads = sim_block_threads(launch->launch);
    for (uint32_t thread = 0; thread < threads; thread++) {
        struct sim_lane *lane = &block->lanes[thread];
        lane->warp = &block->warps[thread / width];
        lane->number = thread % width;
        lane->thread = (struct dimensions){thread % size->x, thread / size->x % size->y, thread / size->x / size->y};
    }
}

// Each launch numbers its blocks from 0, so what an earlier launch left could look like this one's.
static void forget_held(struct sim_block *block) {
    for (size_t i = 0; i < sizeof block->warps / sizeof *block->warps; i++) {
        block->warps[i].held = (struct sim_held){0};
    }
}

// A copy, because compilers clear this many bytes by an instruction that is slow to start.
static void clear_lane(struct sim_lane *lane) {
    static const struct sim_lane none;
    const size_t kept = offsetof(struct sim_lane, coroutine);
    memcpy((char *)lane + kept, (const char *)&none + kept, sizeof *lane - kept);
}

// since: a start of the events' numbers that is the same whichever blocks this process ran before.
static void set_up_warp(const struct sim_launch *launch, struct sim_block *block, uint32_t index, uint32_t threads,
                        uint64_t since) {
    const size_t kept = offsetof(struct sim_warp, ended);
    uint32_t width = launch->gpu->warp_width, first = index * width;
    struct sim_warp *warp = &block->warps[index];
    warp->index = index;
    warp->count = threads - first < width ? threads - first : width;
    warp->live = warp->count == 64 ? UINT64_MAX : (UINT64_C(1) << warp->count) - 1;
    warp->copying.lanes = 0;
    memset((char *)warp + kept, 0, sizeof *warp - kept);
    memset(warp->passed, 0, sizeof warp->passed);
    warp->held.since = since;
    warp->lanes = &block->lanes[first];
    for (uint32_t lane = 0; lane < WARP_WIDTH_MAX; lane++) {
        warp->key[lane] = lane < warp->count ? 0 : UINT64_MAX;
        warp->step[lane] = SIM_START;
    }
    for (uint32_t lane = 0; lane < warp->count; lane++) {
        clear_lane(&warp->lanes[lane]);
    }
}

static void poison_shared(const struct sim_launch *launch, uint32_t rank) {
    const struct sim_module *module = launch->module;
    const uint64_t window = (uint64_t)rank << SIM_WINDOW_SHIFT;
    memset((void *)(module->shared.begin + window), SIM_POISON, module->shared.end - module->shared.begin);
    memset((void *)(module->dynamic.begin + window), SIM_POISON, launch->launch->dynamic_shared_bytes);
}

struct dimensions sim_block_index(const struct sim_launch *launch, uint64_t cluster, uint32_t rank) {
    const struct dimensions *grid = &launch->launch->grid, *size = &launch->cluster;
    const uint64_t across = grid->x / size->x, down = grid->y / size->y;
    return (struct dimensions){(uint32_t)(cluster % across) * size->x + rank % size->x,
                               (uint32_t)(cluster / across % down) * size->y + rank / size->x % size->y,
                               (uint32_t)(cluster / across / down) * size->z + rank / size->x / size->y};
}

static struct sim_block *set_up(const struct sim_launch *launch, uint64_t number, uint32_t rank, uint32_t threads) {
    const uint32_t width = launch->gpu->warp_width;
    struct sim_block *block = &room_of(rank)->block;
    block->index = sim_block_index(launch, number, rank);
    block->rank = rank;
    block->warp_count = (threads + width - 1) / width;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        set_up_warp(launch, block, i, threads, sim_scatter(number + 1));
    }
    sim_block_enter(block);
    return block;
}

static struct room *make_room(void) {
    struct room *room = aligned_alloc(_Alignof(struct room), sizeof *room);
    return room ? memset(room, 0, sizeof *room) : memory_end();
}

static void prepare_rooms(const struct sim_launch *launch) {
    for (uint32_t rank = 0; rank < launch->cluster_blocks; rank++) {
        if (!room_of(rank)) {
            machine.others[rank] = make_room();
        }
        place_lanes(launch, &room_of(rank)->block);
        forget_held(&room_of(rank)->block);
    }
}

void sim_cluster_set_up(struct sim_launch *launch, uint64_t number, struct sim_cluster *cluster) {
    cluster->count = launch->cluster_blocks;
    for (uint32_t rank = cluster->count; rank-- > 0;) {
        cluster->blocks[rank] = set_up(launch, number, rank, sim_block_threads(launch->launch));
        poison_shared(launch, rank);
    }
    sim_race_order_all(launch->race);
    launch->ended_blocks = 0;
}

struct sim_block *sim_block_set_up_one_thread(const struct sim_launch *launch, uint64_t number) {
    return set_up(launch, number, 0, 1);
}

// ---- Signals of a kernel's faults ----

enum {
    HANDLER_STACK_BYTES = 64 * 1024
};

// Global, because signal handlers belong to the process.
static const int signals[] = {SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGSYS, SIGALRM};
static struct sigaction before[sizeof signals / sizeof *signals];
static stack_t stack_before;
// The handler needs a separate stack, because a lane's stack may have overflowed.
static char handler_stack[HANDLER_STACK_BYTES];

static void release_faults(void) {
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], &before[i], NULL);
    }
    sigaltstack(&stack_before, NULL);
}

// Where a lane was when a signal stopped it.
struct stop {
    uintptr_t pc, stack;
};

ON_ANY_STACK static struct stop stopped_at(const void *context) {
#if defined(__x86_64__)
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    return (struct stop){(uintptr_t)registers[REG_RIP], (uintptr_t)registers[REG_RSP]};
#elif defined(__aarch64__)
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
    return (struct stop){(uintptr_t)machine->pc, (uintptr_t)machine->sp};
#else
    (void)context;
    return (struct stop){0};
#endif
}

// A signal that is not a kernel's: the timer comes again, and the signal of a faulty instruction, which runs again, has
// its usual effect.
ON_ANY_STACK static void leave_simulator_alone(int signal_number, void *context) {
    if (signal_number == SIGSYS) {
        sim_deny_call(context);
    } else if (signal_number != SIGALRM) {
        release_faults();
    }
}

ON_ANY_STACK static void stop_lane(int signal_number, siginfo_t *information, void *context) {
    struct sim_lane *lane = sim_turn.current;
    if (!lane) {
        leave_simulator_alone(signal_number, context);
        return;
    }
    const struct stop stop = stopped_at(context);
    sim_turn.fault_signal = signal_number;
    sim_turn.fault_call = signal_number == SIGSYS ? information->si_syscall : 0;
    sim_turn.fault_pc = stop.pc;
    sim_turn.fault_stack = stop.stack;
    sim_turn.fault_lane = lane->number;
    sim_turn.current = NULL;
    coroutine_switch(lane->coroutine, &sim_turn.scheduler);
}

// From here to release_faults a signal that a kernel's code raises (division by zero, stack overflow, an invalid
// access) stops the running lane and switches to the scheduler, which finds the signal in sim_turn. One that is raised
// outside a lane has its usual effect.
static void catch_faults(void) {
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    sigaltstack(&stack, &stack_before);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action = {.sa_sigaction = stop_lane, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
        sigemptyset(&action.sa_mask);
        sigaction(signals[i], &action, &before[i]);
    }
}

// ---- The launch ----

void sim_blocks_begin(struct sim_launch *launch) {
    const struct sim_range *shared = &launch->module->shared;
    prepare_rooms(launch);
    launch->shared_offset = shared->end - shared->begin;
    launch->last_buffer = NULL;
    launch->steps = 0;
    launch->begun_s = clock_s();
    sim_turn.text = launch->module->text;
    sim_turn.shared = *shared;
    sim_turn.dynamic = launch->module->dynamic;
    if (launch->cluster_blocks > 1) {
        sim_turn.dynamic.end = shared->begin + ((uint64_t)launch->cluster_blocks << SIM_WINDOW_SHIFT);
    }
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
    catch_faults();
}

void sim_blocks_end(enum status status) {
    release_faults();
    for (uint32_t rank = 0; status != STATUS_OK && rank < SIM_CLUSTER_BLOCKS; rank++) {
        struct room *room = room_of(rank);
        for (uint32_t i = 0; room && i < SIM_BLOCK_THREADS; i++) {
            if (room->block.lanes[i].coroutine) {
                sim_lane_abandon(&room->block.lanes[i]);
            }
        }
    }
}
