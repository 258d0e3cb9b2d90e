#include "sim/warp.h"

#include "device/kernel/kernel_hooks.h"
#include "sim/lane.h"
#include "sim/ptx/kernel/hooks.h"
#include "sim/ptx/kernel/reduce.h"

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

uint64_t sim_expected_lanes(const struct sim_warp *warp, uint64_t group) {
    uint64_t expected = 0;
    for (uint64_t left = group; left; left &= left - 1) {
        expected |= warp->lanes[__builtin_ctzll(left)].exchange.mask;
    }
    return expected & warp->live;
}

uint64_t sim_invalid_widths(const struct sim_warp *warp, uint64_t group, uint32_t warp_width) {
    uint64_t invalid = 0;
    for (uint64_t left = group; left; left &= left - 1) {
        uint32_t width = warp->lanes[__builtin_ctzll(left)].exchange.width;
        if (width == 0 || width > warp_width || (width & (width - 1)) != 0) {
            invalid |= left & -left;
        }
    }
    return invalid;
}

void sim_meet(struct sim_warp *warp, uint64_t group) {
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

void sim_exchange_values(struct sim_warp *warp, uint64_t group, enum sim_step step) {
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
