#include "device/sim/time/wait.h"

static uint64_t needs_of(const struct sim_warp *warp, const struct sim_site *site, enum sim_step step) {
    const bool waits_for_some = step == SIM_LOAD || step == SIM_BRANCH;
    return waits_for_some ? warp->jump_needs | site->needs.address : UINT64_MAX;
}

// Loads come back in order, so the latest ones are nearly there when the first is.
static void add_wait(struct sim_path *path, const struct sim_outstanding *outstanding) {
    path->atomic_waits += outstanding->atomic;
    path->global_waits += outstanding->global && !outstanding->atomic;
    if (!outstanding->global) {
        path->shared_waits++;
        path->shared_cycles += outstanding->shared_cycles;
    }
}

void sim_wait(struct sim_warp *warp, const struct sim_site *site, enum sim_step step) {
    struct sim_outstanding *outstanding = &warp->outstanding;
    const bool must = outstanding->loads & needs_of(warp, site, step);
    const bool uses = outstanding->loads & warp->use_needs;
    warp->jump_needs = site->needs.jump;
    warp->use_needs = site->needs.used;
    if (must) {
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

void sim_wait_later(struct sim_warp *warp, const struct sim_site *site, bool global, bool atomic,
                    uint32_t shared_cycles) {
    struct sim_outstanding *outstanding = &warp->outstanding;
    outstanding->loads |= site->load;
    outstanding->global |= global;
    outstanding->atomic |= atomic;
    outstanding->in_turn = warp->path.in_turn;
    if (shared_cycles > outstanding->shared_cycles) {
        outstanding->shared_cycles = shared_cycles;
    }
}
