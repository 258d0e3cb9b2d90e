#include "sim/lane.h"

#include <stdlib.h>

#include "model/shared_memory.h"
#include "model/time/time_constants.h"
#include "sim/compile/assembly.h"

// ---- Loads that a GPU's compiler omits ----

enum {
    WIDEST = 16 // bytes of a lane in one load
};

// Names the lanes and their addresses without these low bits.
static uint64_t name_of(const struct sim_held *held, const struct request *request, uint64_t low_bits) {
    uint64_t name = sim_mix(sim_mix(held->since, request->active), request->width_bytes);
    for (uint64_t left = request->active; left; left &= left - 1) {
        name = sim_mix(name, request->address[__builtin_ctzll(left)] & ~low_bits);
    }
    return name;
}

// Whether all lanes load the same piece of their 16 bytes.
static bool is_even(const struct request *request) {
    const uint64_t first = request->address[__builtin_ctzll(request->active)];
    for (uint64_t left = request->active; left; left &= left - 1) {
        if ((request->address[__builtin_ctzll(left)] - first) % WIDEST) {
            return false;
        }
    }
    return true;
}

// The passes of a load of the first `pieces` pieces of 4 bytes: 1, 2 or 4, because there is no load of 12 bytes.
static uint32_t passes_of(const struct gpu *gpu, const struct request *request, uint32_t pieces) {
    struct request wide = *request;
    wide.width_bytes = request->width_bytes;
    while (wide.width_bytes < pieces * request->width_bytes) {
        wide.width_bytes *= 2;
    }
    for (uint64_t left = wide.active; left; left &= left - 1) {
        wide.address[__builtin_ctzll(left)] &= ~(uint64_t)(WIDEST - 1);
    }
    return shared_memory_cost(gpu, &wide).passes;
}

struct sim_kept sim_held_load(struct sim_held *held, const struct gpu *gpu, const struct request *request,
                              uint32_t passes) {
    const uint64_t value = name_of(held, request, 0);
    uint64_t *slot = &held->value[value % HELD_VALUES];
    if (*slot == value) {
        return (struct sim_kept){0};
    }
    *slot = value;
    if (request->width_bytes >= WIDEST || request->width_bytes < 4 || !is_even(request)) {
        return (struct sim_kept){1, passes};
    }
    const uint64_t piece = name_of(held, request, WIDEST - 1), i = piece % HELD_VALUES;
    if (held->piece[i] != piece) {
        held->piece[i] = piece;
        held->pieces[i] = 1;
        held->passes[i] = (uint8_t)passes;
        return (struct sim_kept){1, passes};
    }
    const uint32_t wide = passes_of(gpu, request, ++held->pieces[i]), before = held->passes[i];
    held->passes[i] = (uint8_t)wide;
    return (struct sim_kept){0, wide > before ? wide - before : 0};
}

// ---- Lanes and warps ----

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

// ---- The loads that a step waits for ----

static uint64_t needs_of(const struct sim_warp *warp, const struct sim_site *site, enum sim_step step) {
    const bool waits_for_some = step == SIM_LOAD || step == SIM_BRANCH;
    return waits_for_some ? warp->jump_needs | site->needs.address : UINT64_MAX;
}

// Loads come back in order, so the latest ones are nearly there when the first is.
static void add_wait(struct block_interval *work, const struct sim_outstanding *outstanding) {
    work->atomic_waits += outstanding->atomic;
    if (outstanding->global && !outstanding->atomic) {
        *(outstanding->far ? &work->far_waits : &work->near_waits) += 1;
    }
    if (!outstanding->global) {
        work->shared_waits++;
        work->other_waits += outstanding->other;
        work->shared_passes += outstanding->shared_passes;
    }
}

// Whether the wait is that of an earlier round, because a GPU's compiler unrolls the loop and moves the loads of
// several rounds before the first use.
static bool is_earlier_rounds(struct sim_warp *warp, const struct sim_site *site, uint8_t loop) {
    const bool unrolled = loop == LOOP_UNROLLED || (loop == LOOP_WITH_STORES && !warp->outstanding.stored);
    return unrolled && warp->rounds[__builtin_ctzll(site->load)]++ % TIME_UNROLLED_ROUNDS != 0;
}

// Whether the wait is that of an earlier copy. Nothing but registers keeps a GPU's compiler from moving loads before
// stores to other memory, as shared memory is.
static bool is_earlier_copy(struct sim_warp *warp, const struct sim_site *store) {
    const struct sim_outstanding *outstanding = &warp->outstanding;
    const bool elsewhere = store->memos[SIM_SHARED] || !outstanding->stored;
    return outstanding->global && !outstanding->atomic && elsewhere && warp->copies++ % TIME_COPIES != 0;
}

void sim_wait(struct sim_warp *warp, const struct sim_site *site, enum sim_step step) {
    struct sim_outstanding *outstanding = &warp->outstanding;
    const bool must = outstanding->loads & needs_of(warp, site, step);
    const bool uses = outstanding->loads & warp->use_needs;
    warp->path.work.fence_waits += warp->fenced;
    warp->fenced = false;
    warp->jump_needs = site->needs.jump;
    const uint8_t loop = must ? (uint8_t)LOOP_NONE : warp->use_loop;
    warp->use_needs = site->needs.used;
    warp->use_loop = site->needs.loop;
    const bool waits = must || (uses && outstanding->global);
    const bool moved =
        waits && (step == SIM_STORE && must ? is_earlier_copy(warp, site) : is_earlier_rounds(warp, site, loop));
    if (waits && !moved) {
        add_wait(&warp->path.work, outstanding);
        if (step == SIM_LOAD) { // the latency includes making an address of the value
            warp->path.in_turn = outstanding->in_turn;
        }
    } else {
        warp->path.work.iterations += uses;
    }
    if (must || uses) {
        *outstanding = (struct sim_outstanding){0};
    }
}

void sim_wait_for_all(struct sim_warp *warp, bool global, bool shared) {
    struct sim_outstanding *outstanding = &warp->outstanding;
    if (outstanding->loads && ((global && outstanding->global) || (shared && !outstanding->global))) {
        add_wait(&warp->path.work, outstanding);
        *outstanding = (struct sim_outstanding){0};
    }
    if (global) {
        warp->under_way[0] = 0;
    }
    if (shared) {
        warp->under_way[1] = 0;
    }
}

void sim_wait_later(struct sim_warp *warp, const struct sim_site *site, const struct sim_outstanding *loads) {
    struct sim_outstanding *outstanding = &warp->outstanding;
    outstanding->loads |= site->load;
    outstanding->global |= loads->global;
    outstanding->atomic |= loads->atomic;
    outstanding->far |= loads->far;
    outstanding->stored |= loads->stored;
    outstanding->in_turn = warp->path.in_turn;
    outstanding->other |= loads->other;
    if (loads->shared_passes > outstanding->shared_passes) {
        outstanding->shared_passes = loads->shared_passes;
    }
}

// ---- Loads that hit L1 ----

enum {
    BLOCK_SHIFT = 43 // addresses have up to 48 bits, and a sector has 32 bytes or more
};

void sim_near_create(struct sim_near *near, uint32_t sectors) {
    *near = (struct sim_near){.slots = 1, .most = sectors};
    while (near->slots < 2 * sectors) {
        near->slots *= 2;
    }
    near->keys = memory_zeros(near->slots, sizeof *near->keys);
}

void sim_near_destroy(struct sim_near *near) {
    free(near->keys);
    *near = (struct sim_near){0};
}

void sim_near_begin_block(struct sim_near *near) {
    near->count = 0;
    near->block = (near->block + 1) % (UINT64_C(1) << (64 - BLOCK_SHIFT));
    if (near->block == 0) {
        memset(near->keys, 0, near->slots * sizeof *near->keys);
        near->block = 1;
    }
}

bool sim_near_load(struct sim_near *near, uint64_t sector) {
    const uint64_t key = near->block << BLOCK_SHIFT | sector;
    const uint32_t last = near->slots - 1; // all bits are set
    uint32_t slot = (uint32_t)(sim_scatter(sector) >> 32) & last;
    while (near->keys[slot] >> BLOCK_SHIFT == near->block && near->keys[slot] != key) {
        slot = (slot + 1) & last;
    }
    if (near->keys[slot] == key) {
        return true;
    }
    if (near->count == near->most) {
        sim_near_begin_block(near);
        return sim_near_load(near, sector);
    }
    near->keys[slot] = key;
    near->count++;
    near->misses++;
    return false;
}
