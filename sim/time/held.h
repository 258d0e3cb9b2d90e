// Finds the loads that a GPU's compiler omits, because it keeps loaded values in registers and merges neighbouring
// loads into a wide one. The host's compiler, which keeps registers in memory here, executes each load of the source.
#ifndef SIM_TIME_HELD_H
#define SIM_TIME_HELD_H

#include <stdint.h>

#include "model/gpus.h"
#include "model/request.h"

enum {
    HELD_VALUES = 64 // of a thread; a register file holds at least as many
};

// What a warp has loaded since its last branch, barrier or store. A compiler knows no more than this: after a branch
// the earlier loads may not have run, and a barrier or a store may have changed their values.
struct sim_held {
    uint64_t since;              // counts these events
    uint64_t value[HELD_VALUES]; // identifies the lanes, their addresses, and the event count
    uint64_t piece[HELD_VALUES]; // the same of the 16 bytes that hold the value
    uint8_t pieces[HELD_VALUES]; // of these 16 bytes that have been loaded
    uint8_t passes[HELD_VALUES]; // that the wide load takes so far
};

// A GPU's version of a load from shared memory.
struct sim_kept {
    uint32_t requests, passes;
};

// Forgets what is held, at a branch, barrier or store.
static inline void sim_held_forget(struct sim_held *held) {
    held->since++;
}

// Registers a load of shared memory that costs `passes` by itself.
struct sim_kept sim_held_load(struct sim_held *held, const struct gpu *gpu, const struct request *request,
                              uint32_t passes);

#endif
