// What a lane does at each step, inline, because a kernel's every access and branch is one.
#ifndef DEVICE_SIM_LANE_STEP_H
#define DEVICE_SIM_LANE_STEP_H

#include "device/sim/lane.h"

// Switches from one coroutine to the next lane of the group, or to the scheduler.
ON_ANY_STACK static inline void sim_hand_over(struct coroutine *from) {
    struct coroutine *next = &sim_turn.scheduler;
    struct sim_lane *lane = NULL;
    if (sim_turn.pending) {
        lane = &sim_turn.lanes[__builtin_ctzll(sim_turn.pending)];
        sim_turn.pending &= sim_turn.pending - 1;
        next = lane->coroutine;
        sim_turn.stack_low = (uintptr_t)next->stack_low;
        sim_turn.stack_top = (uintptr_t)next->stack_top;
    }
    sim_turn.current = lane;
    coroutine_switch(from, next);
}

ON_ANY_STACK static inline void sim_step_at(struct sim_lane *lane, enum sim_step step, uintptr_t pc, uint64_t depth) {
    struct sim_warp *warp = lane->warp;
    warp->step[lane->number] = (uint8_t)step;
    warp->key[lane->number] = (0xffff - depth) << 48 | pc;
    lane->pauses = 0;
    sim_hand_over(lane->coroutine);
}

ON_ANY_STACK static inline void sim_step_in_frame(struct sim_lane *lane, enum sim_step step, uintptr_t pc,
                                                  uintptr_t frame) {
    sim_step_at(lane, step, pc, (sim_turn.stack_top - frame) / 16);
}

ON_ANY_STACK static inline void sim_step_access(const volatile void *address, size_t bytes, enum sim_step step,
                                                uintptr_t pc, uintptr_t frame) {
    struct sim_lane *lane = sim_turn.current;
    if ((uintptr_t)address - sim_turn.stack_low >= COROUTINE_STACK_BYTES && lane) {
        lane->warp->request.address[lane->number] = (uintptr_t)address;
        lane->warp->width[lane->number] = (uint8_t)bytes;
        sim_step_in_frame(lane, step, pc, frame);
    }
}

#endif
