#include <string.h>

#include "sim/alike.h"
#include "sim/lane.h"

// Global, because hooks are called by compiled code, which passes no context.
struct sim_turn sim_turn;

// Takes the next row of neighbours that have passed as many steps.
static void take_row(struct sim_warp *warp, struct sim_neighbours lanes) {
    const uint32_t passed = warp->passed[lanes.first] + (uint32_t)SIM_TAKEN, row = passed / SIM_TAKEN;
    const bool last = row == passed % SIM_TAKEN;
    const size_t first = lanes.first, place = row * WARP_WIDTH_MAX + first;
    memcpy(warp->key + first, warp->keys + place, lanes.count * sizeof *warp->key);
    memcpy(warp->step + first, warp->steps + place, lanes.count);
    memset(warp->passed + first, last ? 0 : (int)passed, lanes.count);
    if (last) {
        warp->live &= ~(sim_lanes_of(lanes) & warp->ended);
    }
}

// The group's first lanes that have passed as many steps.
static struct sim_neighbours first_alike(const struct sim_warp *warp, uint64_t group) {
    struct sim_neighbours lanes;
    sim_find_neighbours(group, &lanes);
    if (!sim_bytes_alike(warp->passed, lanes)) {
        const uint8_t *passed = warp->passed + lanes.first;
        for (lanes.count = 1; passed[lanes.count] == *passed; lanes.count++) {
        }
    }
    return lanes;
}

// Takes lanes that have passed steps to the next of them, or to the one at which they stopped. Returns the others.
static uint64_t take_passed(struct sim_warp *warp, uint64_t group) {
    uint64_t others = 0;
    for (uint64_t left = group; left;) {
        const struct sim_neighbours lanes = first_alike(warp, left);
        if (warp->passed[lanes.first]) {
            take_row(warp, lanes);
        } else {
            others |= sim_lanes_of(lanes);
        }
        left &= ~sim_lanes_of(lanes);
    }
    return others;
}

void sim_run_group(struct sim_warp *warp, uint64_t group) {
    sim_turn.pending = take_passed(warp, group);
    if (sim_turn.pending) {
        sim_turn.lanes = warp->lanes;
        sim_hand_over(&sim_turn.scheduler);
    }
}

ON_ANY_STACK void sim_take_step_at(enum sim_step step, uintptr_t pc, uint64_t depth) {
    struct sim_lane *lane = sim_turn.current;
    sim_record(lane, step, (0xffff - depth) << 48 | pc);
    sim_hand_over(lane->coroutine);
}

ON_ANY_STACK void sim_take_step(enum sim_step step, uintptr_t pc, uintptr_t frame) {
    struct sim_lane *lane = sim_turn.current;
    if (lane) {
        sim_step_in_frame(lane, step, pc, frame);
    }
}

// The key puts the lane before all others, so that nothing happens in between.
ON_ANY_STACK void sim_catch_up(void) {
    struct sim_lane *lane = sim_turn.current;
    if (lane->warp->passed[lane->number]) {
        sim_record(lane, SIM_PAUSE, 0);
        sim_hand_over(lane->coroutine);
    }
}

ON_ANY_STACK static void end_lane(struct sim_lane *lane) {
    struct sim_warp *warp = lane->warp;
    const uint64_t bit = UINT64_C(1) << lane->number;
    const uint32_t row = warp->passed[lane->number];
    warp->keys[row * WARP_WIDTH_MAX + lane->number] = UINT64_MAX;
    warp->ended |= bit;
    warp->live &= row ? UINT64_MAX : ~bit;
    sim_hand_over(lane->coroutine);
}

ON_ANY_STACK void sim_lane_main(void) {
    for (;;) {
        sim_turn.call_kernel(sim_turn.call);
        end_lane(sim_turn.current);
    }
}

ON_ANY_STACK void sim_leave_kernel(void) {
    sim_turn.current->left = true;
    for (;;) {
        end_lane(sim_turn.current);
    }
}

ON_ANY_STACK void sim_access(const volatile void *address, size_t bytes, enum sim_step step, uintptr_t pc,
                             uintptr_t frame) {
    sim_step_access(address, bytes, step, pc, frame);
}
