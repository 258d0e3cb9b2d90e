// Records the distinct requests to shared memory of a launch.
#ifndef SIM_RECORDING_H
#define SIM_RECORDING_H

#include <stdbool.h>
#include <stddef.h>

#include "model/request.h"
#include "util/error.h"

enum {
    RECORDS_MAX = 16384
};

// A request of the instruction at pc, as often as it was made.
struct sim_recording_entry {
    uintptr_t pc;
    uint64_t count;
    struct request request;
};

struct sim_recording {
    bool on, overflowed;
    struct sim_recording_entry *list; // owned
    size_t count;
    uint32_t *table;      // place in the list + 1, by a hash of the request; owned
    uint64_t fixed_bytes; // of shared memory before the dynamic
    uint64_t dynamic_bytes;
};

// Forgets what was recorded before.
enum status sim_recording_begin(struct sim_recording *recording, struct error *error);
// Beyond RECORDS_MAX that differ, sets `overflowed`.
void sim_recording_add(struct sim_recording *recording, uintptr_t pc, const struct request *request);
void sim_recording_destroy(struct sim_recording *recording);

#endif
