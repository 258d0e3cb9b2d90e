// The functions that kernels translated from PTX call. A site takes the place of an instruction's address.
#include "sim/ptx/kernel/hooks.h"

#include <stdio.h>

#include "sim/lane.h"
#include "sim/race.h"

// The depth of calls takes the place of the stack's depth.
ON_ANY_STACK static void take_step(enum sim_step step, const char *site, uint32_t depth) {
    sim_take_step_at(step, (uintptr_t)site, depth);
}

ON_ANY_STACK void sim_ptx_access(uint64_t address, uint32_t bytes, enum sim_ptx_operation operation, const char *site,
                                 uint32_t depth) {
    static const enum sim_step steps[] = {
        [SIM_PTX_LOAD] = SIM_LOAD, [SIM_PTX_STORE] = SIM_STORE, [SIM_PTX_ATOMIC] = SIM_ATOMIC};
    struct sim_lane *lane = sim_turn.current;
    if (address - (uintptr_t)lane->coroutine->stack_low >= COROUTINE_STACK_BYTES) {
        lane->warp->request.address[lane->number] = address;
        lane->warp->width[lane->number] = (uint8_t)bytes;
        take_step(steps[operation], site, depth);
    }
}

ON_ANY_STACK void sim_ptx_copy(uint64_t from, uint64_t to, bool past_l1) {
    struct sim_lane *lane = sim_turn.current;
    struct sim_copying *copying = &lane->warp->copying;
    const uint64_t own = UINT64_C(1) << lane->number;
    copying->from[lane->number] = from;
    copying->to[lane->number] = to;
    copying->lanes |= own;
    copying->past_l1 = past_l1 ? copying->past_l1 | own : copying->past_l1 & ~own;
}

ON_ANY_STACK void sim_ptx_branch(const char *site, uint32_t depth) {
    take_step(SIM_BRANCH, site, depth);
}

ON_ANY_STACK void sim_ptx_jump(const char *site, uint32_t depth) {
    if (++sim_turn.current->pauses == SIM_BLOCKS_WITHOUT_STEP) {
        take_step(SIM_PAUSE, site, depth);
    }
}

ON_ANY_STACK uint32_t sim_ptx_block_barrier(uint32_t number, uint32_t threads, bool value, const char *site,
                                            uint32_t depth) {
    struct sim_lane *lane = sim_turn.current;
    lane->barrier = (struct sim_barrier){number, threads};
    lane->exchange.bits = value;
    sim_turn.names_barriers |= threads || value;
    take_step(SIM_BLOCK_BARRIER, site, depth);
    return (uint32_t)sim_turn.barrier_sum;
}

ON_ANY_STACK void sim_ptx_cluster_barrier(const char *site, uint32_t depth) {
    sim_ptx_block_barrier(SIM_CLUSTER_BARRIER, 0, 0, site, depth);
}

ON_ANY_STACK void sim_ptx_order(void) {
    sim_race_order_all(sim_turn.race);
}

ON_ANY_STACK void sim_ptx_warp_barrier(uint32_t mask, const char *site, uint32_t depth) {
    sim_turn.current->exchange.mask = mask;
    take_step(SIM_WARP_BARRIER, site, depth);
}

ON_ANY_STACK static void prepare_meeting(sim_ptx_meet_function *meet, void *mine, uint32_t mask, bool for_access) {
    struct sim_lane *lane = sim_turn.current;
    lane->exchange.mask = mask;
    lane->meet = meet;
    lane->brings = mine;
    lane->meets_for_access = for_access;
}

ON_ANY_STACK void sim_ptx_meet(sim_ptx_meet_function *meet, void *mine, uint32_t mask, const char *site,
                               uint32_t depth) {
    prepare_meeting(meet, mine, mask, false);
    take_step(SIM_MEETING_STEP, site, depth);
}

ON_ANY_STACK void sim_ptx_meet_for_access(sim_ptx_meet_function *meet, void *mine, const char *site, uint32_t depth) {
    prepare_meeting(meet, mine, UINT32_MAX, true);
    take_step(SIM_MEETING_STEP, site, depth);
}

// ---- Indices of a lane ----

ON_ANY_STACK static uint32_t axis(const struct dimensions *dimensions, uint32_t n) {
    return n == 0 ? dimensions->x : n == 1 ? dimensions->y : dimensions->z;
}

ON_ANY_STACK uint32_t sim_ptx_special(enum sim_ptx_special which) {
    const struct sim_lane *lane = sim_turn.current;
    const uint32_t number = (uint32_t)which;
    if (number < SIM_PTX_NTID) {
        return axis(&lane->thread, number - SIM_PTX_TID);
    }
    if (number < SIM_PTX_CTAID) {
        return axis(&sim_turn.block_size, number - SIM_PTX_NTID);
    }
    if (number < SIM_PTX_NCTAID) {
        return axis(&sim_turn.block, number - SIM_PTX_CTAID);
    }
    if (number < SIM_PTX_LANEID) {
        return axis(&sim_turn.grid_size, number - SIM_PTX_NCTAID);
    }
    return number == SIM_PTX_LANEID   ? lane->number
           : number == SIM_PTX_WARPID ? lane->warp->index
                                      : sim_turn.dynamic_shared_bytes;
}

ON_ANY_STACK uint64_t sim_ptx_cycles(void) {
    return sim_turn.current->warp->cycles;
}

ON_ANY_STACK uint64_t sim_ptx_nanoseconds(void) {
    return (uint64_t)((double)sim_turn.current->warp->cycles * sim_turn.nanoseconds_per_cycle);
}

ON_ANY_STACK bool sim_ptx_is_local(uint64_t address) {
    return address - (uintptr_t)sim_turn.current->coroutine->stack_low < COROUTINE_STACK_BYTES;
}

// ---- Ends ----

ON_ANY_STACK void sim_ptx_trap(const char *words, const char *site, uint32_t depth) {
    sim_turn.current->trap = words;
    for (;;) {
        take_step(SIM_TRAP, site, depth);
    }
}

ON_ANY_STACK void sim_ptx_exit(void) {
    sim_leave_kernel();
}
