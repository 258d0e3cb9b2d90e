#include "sim/step.h"

#include "device/kernel/kernel_hooks.h"
#include "model/time/time_constants.h"
#include "sim/access.h"
#include "sim/block.h"
#include "sim/compile/assembly.h"
#include "sim/ptx/kernel/hooks.h"
#include "sim/ptx/kernel/reduce.h"
#include "sim/report.h"

ON_ANY_STACK void sim_block_barrier(void) {
    sim_pass(sim_turn.current, SIM_BLOCK_BARRIER, SIM_CALLER);
}

ON_ANY_STACK void sim_warp_barrier(uint64_t mask) {
    sim_turn.current->exchange.mask = mask;
    sim_take_step(SIM_WARP_BARRIER, SIM_CALLER);
}

ON_ANY_STACK void sim_fence(void) {
    sim_catch_up();
    // Lanes run one after another, so every store is visible at once. Only time passes.
    struct sim_warp *warp = sim_turn.current->warp;
    warp->fenced |= warp->stored;
    warp->stored = false;
}

ON_ANY_STACK void sim_trap(const char *words) {
    sim_turn.current->trap = words;
    for (;;) {
        sim_take_step(SIM_TRAP, SIM_CALLER);
    }
}

ON_ANY_STACK uint64_t sim_shuffle(enum sim_shuffle_kind kind, uint64_t mask, uint64_t bits, uint32_t operand,
                                  uint32_t width) {
    struct sim_lane *lane = sim_turn.current;
    const uint32_t few = sim_turn.nvidia ? operand & 31 : operand; // NVIDIA's instruction has five bits (PTX ISA, shfl)
    lane->exchange = (struct sim_exchange){mask, bits, (uint32_t)kind, few, width};
    sim_take_step(SIM_SHUFFLE_STEP, SIM_CALLER);
    return lane->exchange.bits;
}

ON_ANY_STACK uint64_t sim_ballot(uint64_t mask, bool predicate) {
    struct sim_lane *lane = sim_turn.current;
    lane->exchange = (struct sim_exchange){.mask = mask, .bits = predicate};
    sim_take_step(SIM_BALLOT_STEP, SIM_CALLER);
    return lane->exchange.bits;
}

ON_ANY_STACK uint64_t sim_active_lanes(void) {
    struct sim_lane *lane = sim_turn.current;
    lane->exchange = (struct sim_exchange){.bits = 1};
    sim_take_step(SIM_BALLOT_STEP, SIM_CALLER);
    return lane->exchange.bits;
}

// The lanes that the group's masks name and that have not returned. The step can run when all of them have reached it.
static uint64_t sim_expected_lanes(const struct sim_warp *warp, uint64_t group) {
    uint64_t expected = 0;
    for (uint64_t left = group; left; left &= left - 1) {
        expected |= warp->lanes[__builtin_ctzll(left)].exchange.mask;
    }
    return expected & warp->live;
}

// The lanes whose shuffle width is not a power of two from 1 to the warp's width.
static uint64_t sim_invalid_widths(const struct sim_warp *warp, uint64_t group, uint32_t warp_width) {
    uint64_t invalid = 0;
    for (uint64_t left = group; left; left &= left - 1) {
        uint32_t width = warp->lanes[__builtin_ctzll(left)].exchange.width;
        if (width == 0 || width > warp_width || (width & (width - 1)) != 0) {
            invalid |= left & -left;
        }
    }
    return invalid;
}

// Lets the lanes of the group meet.
static void sim_meet(struct sim_warp *warp, uint64_t group) {
    struct sim_ptx_meeting meeting = {.active = group};
    for (uint64_t left = group; left; left &= left - 1) {
        const int lane = __builtin_ctzll(left);
        meeting.lane[lane] = warp->lanes[lane].brings;
    }
    warp->lanes[__builtin_ctzll(group)].meet(&meeting);
}

// The lane that a shuffle reads (CUDA C++ Programming Guide, warp shuffle functions); the lane itself where that lane
// lies outside its segment.
static uint32_t source_lane(uint32_t lane, const struct sim_exchange *exchange) {
    uint32_t width = exchange->width, first = lane / width * width, place = lane - first;
    switch ((enum sim_shuffle_kind)exchange->kind) {
    case SIM_SHUFFLE_DOWN:
        return exchange->operand < width - place ? lane + exchange->operand : lane;
    case SIM_SHUFFLE_UP:
        return exchange->operand <= place ? lane - exchange->operand : lane;
    case SIM_SHUFFLE_XOR:
        return (lane ^ exchange->operand) < first + width ? lane ^ exchange->operand : lane;
    default:
        break;
    }
    return first + exchange->operand % width;
}

// Folds the bits of the lanes that a lane names.
static uint64_t fold_lanes(const uint64_t *bits, uint64_t lanes, enum sim_shuffle_kind kind) {
    static const enum reduction reductions[] = {[SIM_SHUFFLE_ADD] = REDUCE_ADD,
                                                [SIM_SHUFFLE_AND] = REDUCE_AND,
                                                [SIM_SHUFFLE_OR] = REDUCE_OR,
                                                [SIM_SHUFFLE_XOR_ALL] = REDUCE_XOR,
                                                [SIM_SHUFFLE_MIN] = REDUCE_MIN_U32,
                                                [SIM_SHUFFLE_MAX] = REDUCE_MAX_U32,
                                                [SIM_SHUFFLE_MIN_SIGNED] = REDUCE_MIN_S32,
                                                [SIM_SHUFFLE_MAX_SIGNED] = REDUCE_MAX_S32};
    uint32_t result = (uint32_t)bits[__builtin_ctzll(lanes)];
    for (uint64_t left = lanes & (lanes - 1); left; left &= left - 1) {
        result = reduced(reductions[kind], result, (uint32_t)bits[__builtin_ctzll(left)]);
    }
    return result;
}

static uint64_t same_lanes(const uint64_t *bits, uint64_t lanes, uint32_t lane) {
    uint64_t same = 0;
    for (uint64_t left = lanes; left; left &= left - 1) {
        same |= (uint64_t)(bits[__builtin_ctzll(left)] == bits[lane]) << __builtin_ctzll(left);
    }
    return same;
}

static uint64_t exchanged(const uint64_t *bits, uint64_t group, uint32_t lane, const struct sim_exchange *exchange) {
    const enum sim_shuffle_kind kind = (enum sim_shuffle_kind)exchange->kind;
    const uint64_t named = group & exchange->mask;
    if (kind < SIM_SHUFFLE_ADD) {
        return bits[source_lane(lane, exchange)];
    }
    return kind == SIM_SHUFFLE_MATCH ? same_lanes(bits, named, lane) : named ? fold_lanes(bits, named, kind) : 0;
}

// Gives each lane of the group its result.
static void sim_exchange_values(struct sim_warp *warp, uint64_t group, enum sim_step step) {
    uint64_t bits[WARP_WIDTH_MAX] = {0}, ballot = 0;
    for (uint64_t left = group; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        bits[lane] = warp->lanes[lane].exchange.bits;
        ballot |= (uint64_t)(bits[lane] != 0) << lane;
    }
    for (uint64_t left = group; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left);
        struct sim_exchange *exchange = &warp->lanes[lane].exchange;
        exchange->bits = step == SIM_BALLOT_STEP ? ballot : exchanged(bits, group, lane, exchange);
    }
}

enum {
    SLICE_STEPS = 4096, // of one warp before the next gets its turn, because warps may wait for each other
    STEPS_PER_CLOCK_CHECK = 1024
};

// The lanes at the lowest instruction. Usually all lanes are neighbours at the same one.
static uint64_t lowest(const struct sim_warp *warp, uint64_t candidates) {
    uint64_t key = UINT64_MAX, group = 0;
    struct sim_neighbours lanes;
    if (sim_find_neighbours(candidates, &lanes) && sim_words_alike(warp->key, lanes)) {
        return candidates;
    }
    for (uint64_t left = candidates; left; left &= left - 1) {
        const uint64_t own = warp->key[__builtin_ctzll(left)];
        key = own < key ? own : key;
    }
    for (uint64_t left = candidates; left; left &= left - 1) {
        group |= (uint64_t)(warp->key[__builtin_ctzll(left)] == key) << __builtin_ctzll(left);
    }
    return group;
}

static void count_step(struct sim_warp *warp, struct sim_site *site, uint64_t group, uint64_t cycles) {
    site->counts.instructions++;
    site->counts.lanes += (uint64_t)__builtin_popcountll(group);
    warp->cycles += cycles;
    warp->path.instructions += 1 + site->weight;
    warp->path.in_turn += (1 + site->weight) * (site->needs.loop == LOOP_UNROLLED ? 1 : TIME_UNROLLED_ROUNDS);
}

static void wait_at_barrier(struct sim_warp *warp, uint64_t group) {
    const uintptr_t pc = sim_key_pc(warp->key[__builtin_ctzll(group)]);
    sim_held_forget(&warp->held);
    warp->copies = 0;
    warp->barriers_differ = warp->at_barrier && (warp->barriers_differ || warp->barrier_pc != pc);
    warp->barrier_pc = pc;
    warp->at_barrier |= group;
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

// *group shrinks to the lanes that continue together; 0: they wait at a barrier.
static enum status perform(struct sim_launch *launch, struct sim_warp *warp, struct sim_site *site, enum sim_step step,
                           uint64_t *group, uint64_t *cycles) {
    const uint32_t first = (uint32_t)__builtin_ctzll(*group);
    switch (step) {
    case SIM_START:
    case SIM_PAUSE:
        break;
    case SIM_LOAD:
    case SIM_STORE:
    case SIM_ATOMIC:
        return sim_memory_step(launch, warp, group, site, cycles);
    case SIM_BRANCH:
        site->counts.branches++;
        sim_held_forget(&warp->held);
        break;
    case SIM_BLOCK_BARRIER:
        site->counts.barriers++;
        wait_at_barrier(warp, *group);
        *group = 0;
        break;
    case SIM_WARP_BARRIER:
        warp->barriers++;
        sim_held_forget(&warp->held);
        break;
    case SIM_SHUFFLE_STEP:
    case SIM_BALLOT_STEP:
        warp->path.exchanges++;
        return exchange(launch, warp, *group, step);
    case SIM_MEETING_STEP:
        sim_meet(warp, *group);
        break;
    case SIM_TRAP:
        return sim_report(launch, warp, first, "%s%s", warp->lanes[first].asserts ? "assertion failed: " : "",
                          warp->lanes[first].trap);
    }
    return STATUS_OK;
}

// Performs and counts the group's step.
static enum status take_step(struct sim_launch *launch, struct sim_warp *warp, uint64_t *group) {
    const uint64_t arrived = *group;
    const uint32_t first = (uint32_t)__builtin_ctzll(arrived);
    const enum sim_step step = warp->step[first];
    if (step == SIM_START || step == SIM_PAUSE) {
        return STATUS_OK;
    }
    struct sim_site *site = sim_sites_find(launch->sites, sim_key_pc(warp->key[first]));
    if (!site) {
        return sim_counts_have_no_room(launch->error);
    }
    uint64_t cycles = launch->caches ? 0 : 1; // a chain runs while an access is under way
    sim_wait(warp, site, step);
    const enum status status = perform(launch, warp, site, step, group, &cycles);
    if (step != SIM_MEETING_STEP || !warp->lanes[first].meets_for_access) {
        count_step(warp, site, *group ? *group : arrived, cycles);
    }
    return status;
}

// Whether the group must wait for lanes that its masks name and that can still reach the step.
static bool is_incomplete(const struct sim_warp *warp, uint64_t group) {
    enum sim_step step = warp->step[__builtin_ctzll(group)];
    return (step == SIM_WARP_BARRIER || step == SIM_SHUFFLE_STEP || step == SIM_BALLOT_STEP ||
            step == SIM_MEETING_STEP) &&
           (sim_expected_lanes(warp, group) & sim_runnable_lanes(warp) & ~group);
}

enum status sim_check_time(struct sim_launch *launch, const struct sim_warp *warp, uint64_t group) {
    if (++launch->steps % STEPS_PER_CLOCK_CHECK) {
        return STATUS_OK;
    }
    sim_progress_show(&launch->progress);
    if (launch->limit_s <= 0 || sim_launch_seconds(launch) < launch->limit_s) {
        return STATUS_OK;
    }
    return sim_report(launch, warp, (uint32_t)__builtin_ctzll(group),
                      "still runs after %g s: check that it ends, or allow it more time", launch->limit_s);
}

// Runs the group's lanes to their next steps.
static enum status advance(struct sim_launch *launch, struct sim_warp *warp, uint64_t group) {
    sim_run_group(warp, group);
    if (sim_turn.fault_signal) {
        return sim_report_signal(launch, warp);
    }
    for (uint64_t left = group & ~warp->live; left; left &= left - 1) {
        struct sim_lane *lane = &warp->lanes[__builtin_ctzll(left)];
        (lane->left ? sim_lane_abandon : sim_lane_finish)(lane);
    }
    return STATUS_OK;
}

enum status sim_run_warp(struct sim_launch *launch, struct sim_warp *warp) {
    uint64_t held = 0; // lanes that wait for other lanes of the warp
    for (int step = 0; step < SLICE_STEPS && sim_runnable_lanes(warp); step++) {
        uint64_t candidates = sim_runnable_lanes(warp) & ~held;
        bool stuck = !candidates; // every lane that could run waits for one that cannot come
        uint64_t group = lowest(warp, stuck ? sim_runnable_lanes(warp) : candidates);
        enum status status = sim_check_time(launch, warp, group);
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
