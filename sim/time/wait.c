#include "sim/time/wait.h"

#include <stdlib.h>
#include <string.h>

#include "model/time/time_constants.h"
#include "sim/compile/flow.h"
#include "sim/scatter.h"

static uint64_t needs_of(const struct sim_warp *warp, const struct sim_site *site, enum sim_step step) {
    const bool waits_for_some = step == SIM_LOAD || step == SIM_BRANCH;
    return waits_for_some ? warp->jump_needs | site->needs.address : UINT64_MAX;
}

// Loads come back in order, so the latest ones are nearly there when the first is.
static void add_wait(struct sim_path *path, const struct sim_outstanding *outstanding) {
    path->atomic_waits += outstanding->atomic;
    if (outstanding->global && !outstanding->atomic) {
        *(outstanding->far ? &path->far_waits : &path->near_waits) += 1;
    }
    if (!outstanding->global) {
        path->shared_waits++;
        path->other_waits += outstanding->other;
        path->shared_passes += outstanding->shared_passes;
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
    warp->path.fence_waits += warp->fenced;
    warp->fenced = false;
    warp->jump_needs = site->needs.jump;
    const uint8_t loop = must ? (uint8_t)LOOP_NONE : warp->use_loop;
    warp->use_needs = site->needs.used;
    warp->use_loop = site->needs.loop;
    const bool waits = must || (uses && outstanding->global);
    const bool moved =
        waits && (step == SIM_STORE && must ? is_earlier_copy(warp, site) : is_earlier_rounds(warp, site, loop));
    if (waits && !moved) {
        add_wait(&warp->path, outstanding);
        if (step == SIM_LOAD) { // the latency includes making an address of the value
            warp->path.in_turn = outstanding->in_turn;
        }
    } else {
        warp->path.iterations += uses;
    }
    if (must || uses) {
        *outstanding = (struct sim_outstanding){0};
    }
}

void sim_wait_for_all(struct sim_warp *warp, bool global, bool shared) {
    struct sim_outstanding *outstanding = &warp->outstanding;
    if (outstanding->loads && ((global && outstanding->global) || (shared && !outstanding->global))) {
        add_wait(&warp->path, outstanding);
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

enum status sim_near_create(struct sim_near *near, uint32_t sectors, struct error *error) {
    *near = (struct sim_near){.slots = 1, .most = sectors};
    while (near->slots < 2 * sectors) {
        near->slots *= 2;
    }
    near->keys = calloc(near->slots, sizeof *near->keys);
    return near->keys ? STATUS_OK : error_set(error, STATUS_FAILED, "no memory for the sectors that a block loads");
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
