#include "device/sim/lane_step.h"

// Global, because hooks are called by compiled code, which passes no context.
struct sim_turn sim_turn;

void sim_run_group(struct sim_warp *warp, uint64_t group) {
    sim_turn.lanes = warp->lanes;
    sim_turn.pending = group;
    sim_hand_over(&sim_turn.scheduler);
}

ON_ANY_STACK void sim_take_step_at(enum sim_step step, uintptr_t pc, uint64_t depth) {
    sim_step_at(sim_turn.current, step, pc, depth);
}

ON_ANY_STACK void sim_take_step(enum sim_step step, uintptr_t pc, uintptr_t frame) {
    struct sim_lane *lane = sim_turn.current;
    if (lane) {
        sim_step_in_frame(lane, step, pc, frame);
    }
}

ON_ANY_STACK static void end_lane(struct sim_lane *lane) {
    lane->warp->live &= ~(UINT64_C(1) << lane->number);
    lane->warp->key[lane->number] = UINT64_MAX;
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
