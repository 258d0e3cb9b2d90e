#include "sim/step.h"

#include "model/time/time_constants.h"
#include "sim/access.h"
#include "sim/alike.h"
#include "sim/block.h"
#include "sim/compile/flow.h"
#include "sim/report.h"
#include "sim/time/wait.h"
#include "sim/warp.h"

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
