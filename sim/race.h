// Races on shared memory: two threads touch the same byte with no barrier between them, at least one writes, and at
// least one access is not an atomic.
#ifndef SIM_RACE_H
#define SIM_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/request.h"
#include "util/error.h"

// The last access to a piece of memory.
struct sim_touch {
    uint32_t interval; // numbers the time between two barriers of the block; 0: no access yet
    uint32_t barriers; // warp barriers that the warp had passed
    uint32_t request;  // the launch's instruction count at the access
    uint32_t place;    // the instruction's offset in the text
    uint16_t warp;
    uint8_t lane;
    bool several_lanes; // another lane of the warp did the same in the same interval
};

enum sim_touch_kind {
    SIM_TOUCH_READ,
    SIM_TOUCH_WRITE,
    SIM_TOUCH_ATOMIC
};

// read[1] is the last read by a warp other than that of read[0].
struct sim_cell {
    struct sim_touch write, atomic, read[2];
};

struct sim_race {
    struct sim_cell *cells; // one for each grain
    size_t bytes;           // of shared memory that the cells cover
    uint32_t grain;         // bytes of a cell: 4, or 1 after the first narrower access
    uint32_t interval;      // never 0
    bool within_warps;      // whether the lanes of a warp run independently: NVIDIA from sm_70 on
    bool allowed;           // races are not looked for
};

// The cells outlive launches; a new launch begins a new interval.
enum status sim_race_begin(struct sim_race *race, size_t bytes, bool within_warps, struct error *error);
void sim_race_destroy(struct sim_race *race);

// Records the accesses of a request to shared memory. touch: what they have in common. Whether one of them races with
// an earlier access, which *other then is, of another warp where there is one; touch->lane is then the one's lane.
bool sim_race_touch(struct sim_race *race, const struct request *request, enum sim_touch_kind kind,
                    struct sim_touch *touch, struct sim_touch *other);

#endif
