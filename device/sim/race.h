// Races on shared memory: two threads that touch the same byte with no barrier between, at least one of them writing,
// not both of them by an atomic.
#ifndef DEVICE_SIM_RACE_H
#define DEVICE_SIM_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

// Who touched a piece of memory last, and when.
struct sim_touch {
    uint32_t interval; // between two barriers of the block; 0: nobody yet
    uint32_t barriers; // warp barriers that the warp had passed
    uint32_t request;  // instructions of the launch before it
    uint32_t place;    // the instruction's place in the text
    uint16_t warp;
    uint8_t lane;
    bool several_lanes; // another lane of the warp did the same in the same interval
};

enum sim_touch_kind {
    SIM_TOUCH_READ,
    SIM_TOUCH_WRITE,
    SIM_TOUCH_ATOMIC
};

// read[1] is the last reader of another warp than read[0].
struct sim_cell {
    struct sim_touch write, atomic, read[2];
};

struct sim_race {
    struct sim_cell *cells; // one for each grain
    size_t bytes;           // of shared memory that they cover
    uint32_t grain;         // bytes: 4, and 1 from the first narrower access on
    uint32_t interval;      // never 0
    bool within_warps;      // lanes of one warp are threads of their own: NVIDIA from sm_70 on
};

// The cells outlive launches; a new launch begins a new interval.
enum status sim_race_begin(struct sim_race *race, size_t bytes, bool within_warps, struct error *error);
void sim_race_destroy(struct sim_race *race);

// Notes an access of width bytes at an offset in shared memory. Returns whom it races with, or NULL.
const struct sim_touch *sim_race_touch(struct sim_race *race, size_t offset, uint32_t width, enum sim_touch_kind kind,
                                       const struct sim_touch *touch);

#endif
