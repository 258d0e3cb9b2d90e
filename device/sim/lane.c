#include "device/sim/lane.h"

// Global, because hooks are called by compiled code, which passes no context.
struct sim_turn sim_turn;

// Switches from one coroutine to the next lane of the group, or to the scheduler.
ON_ANY_STACK static void hand_over(struct coroutine *from) {
    struct coroutine *next = &sim_turn.scheduler;
    sim_turn.current = NULL;
    if (sim_turn.pending) {
        sim_turn.current = &sim_turn.lanes[__builtin_ctzll(sim_turn.pending)];
        sim_turn.pending &= sim_turn.pending - 1;
        next = sim_turn.current->coroutine;
    }
    coroutine_switch(from, next);
}

void sim_run_group(struct sim_warp *warp, uint64_t group) {
    sim_turn.lanes = warp->lanes;
    sim_turn.pending = group;
    hand_over(&sim_turn.scheduler);
}

ON_ANY_STACK void sim_take_step_at(enum sim_step step, uintptr_t pc, uint64_t depth) {
    struct sim_lane *lane = sim_turn.current;
    struct sim_warp *warp = lane->warp;
    warp->step[lane->number] = (uint8_t)step;
    warp->key[lane->number] = (0xffff - depth) << 48 | pc;
    lane->pauses = 0;
    hand_over(lane->coroutine);
}

ON_ANY_STACK void sim_take_step(enum sim_step step, uintptr_t pc, uintptr_t frame) {
    const struct sim_lane *lane = sim_turn.current;
    if (lane) {
        sim_take_step_at(step, pc, ((uintptr_t)lane->coroutine->stack_top - frame) / 16);
    }
}

ON_ANY_STACK static void end_lane(struct sim_lane *lane) {
    lane->warp->live &= ~(UINT64_C(1) << lane->number);
    lane->warp->key[lane->number] = UINT64_MAX;
    hand_over(lane->coroutine);
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
    struct sim_lane *lane = sim_turn.current;
    if (lane && (uintptr_t)address - (uintptr_t)lane->coroutine->stack_low >= COROUTINE_STACK_BYTES) {
        lane->warp->request.address[lane->number] = (uintptr_t)address;
        lane->warp->width[lane->number] = (uint8_t)bytes;
        sim_take_step(step, pc, frame);
    }
}
