// What a lane does at each step, inline, because a kernel's every access and branch is one.
#ifndef SIM_LANE_STEP_H
#define SIM_LANE_STEP_H

#include "sim/lane.h"

// Switches from one coroutine to the next lane of the group, or to the scheduler.
ON_ANY_STACK static inline void sim_hand_over(struct coroutine *from) {
    const uint64_t pending = sim_turn.pending;
    struct coroutine *next = &sim_turn.scheduler;
    struct sim_lane *lane = NULL;
    if (pending) {
        lane = &sim_turn.lanes[(uint32_t)__builtin_ctzll(pending)];
        sim_turn.pending = pending & (pending - 1);
        next = lane->coroutine;
    }
    sim_turn.current = lane;
    coroutine_switch(from, next);
}

ON_ANY_STACK static inline void sim_record(struct sim_lane *lane, enum sim_step step, uint64_t key) {
    struct sim_warp *warp = lane->warp;
    const size_t place = (size_t)warp->passed[lane->number] * WARP_WIDTH_MAX + lane->number;
    warp->steps[place] = (uint8_t)step;
    warp->keys[place] = key;
    lane->pauses = 0;
}

// Deeper calls have frames at lower addresses. These are multiples of 16, except in an endless loop, whose call the
// compiler has not made.
ON_ANY_STACK static inline uint64_t sim_key_in_frame(const struct sim_lane *lane, uintptr_t pc, uintptr_t frame) {
    return (uint64_t)(frame - lane->deepest) / 16 << 48 | pc;
}

ON_ANY_STACK static inline void sim_step_in_frame(struct sim_lane *lane, enum sim_step step, uintptr_t pc,
                                                  uintptr_t frame) {
    sim_record(lane, step, sim_key_in_frame(lane, pc, frame));
    sim_hand_over(lane->coroutine);
}

// Records a step that has no effect on other lanes, and stops only if the lane may pass no more of them.
ON_ANY_STACK static inline void sim_pass(struct sim_lane *lane, enum sim_step step, uintptr_t pc, uintptr_t frame) {
    struct sim_warp *warp = lane->warp;
    sim_record(lane, step, sim_key_in_frame(lane, pc, frame));
    if (warp->passed[lane->number] == sim_turn.ahead) {
        sim_hand_over(lane->coroutine);
        return;
    }
    warp->passed[lane->number]++;
}

ON_ANY_STACK static inline void sim_step_access(const volatile void *address, size_t bytes, enum sim_step step,
                                                uintptr_t pc, uintptr_t frame) {
    struct sim_lane *lane = sim_turn.current;
    if (lane && (uintptr_t)address - (uintptr_t)lane->coroutine->stack_low >= COROUTINE_STACK_BYTES) {
        lane->warp->request.address[lane->number] = (uintptr_t)address;
        lane->warp->width[lane->number] = (uint8_t)bytes;
        sim_step_in_frame(lane, step, pc, frame);
    }
}

#endif
