#include "sim/look.h"

#include <math.h>

#include "sim/block.h"
#include "sim/wave.h"

enum {
    LOOK_STEPS = 256, // of a thread, at most
    NEIGHBOURS = 16   // that are looked at together, because neighbours share sectors and rows of memory
};

// The first step of thread 0 that is not a branch; 0: it returns. A fault is ignored here, because the block's run
// finds it.
static uintptr_t first_visible_step(struct sim_warp *warp) {
    for (int step = 0; step < LOOK_STEPS; step++) {
        sim_run_group(warp, 1);
        if (!(warp->live & 1)) {
            return 0;
        }
        bool quiet = warp->step[0] == SIM_BRANCH || warp->step[0] == SIM_PAUSE;
        if (sim_turn.fault_signal || !quiet) {
            break;
        }
    }
    sim_turn.fault_signal = 0;
    return sim_key_pc(warp->key[0]);
}

// Numbers of neighbours, which fill 0 ... blocks - 1 evenly for any count: they begin at multiples of the golden ratio.
static uint64_t spread(uint64_t index, uint64_t count, uint64_t blocks) {
    const double turns = (double)(index / NEIGHBOURS) * 0.6180339887498949;
    const uint64_t first = (uint64_t)((turns - floor(turns)) * (double)(blocks / NEIGHBOURS)) * NEIGHBOURS;
    return count == blocks ? index : first + index % NEIGHBOURS;
}

static enum status look_at(struct sim_launch *launch, struct sim_kind *kind) {
    struct sim_warp *warp = &sim_block_set_up_one_thread(launch, kind->block)->warps[0];
    TRY(sim_warp_start(warp, launch->error));
    kind->kind = sim_turn.by_wave ? sim_wave_first_step(launch, warp) : first_visible_step(warp);
    sim_lane_abandon(&warp->lanes[0]);
    return STATUS_OK;
}

enum status sim_look(struct sim_launch *launch, uint64_t count, struct sim_kind *kinds) {
    const uint64_t blocks = dimensions_count(&launch->launch->grid) / launch->cluster_blocks;
    enum status status = sim_blocks_begin(launch);
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        kinds[i].block = spread(i, count, blocks);
        status = look_at(launch, &kinds[i]);
    }
    sim_blocks_end(status);
    return status;
}
