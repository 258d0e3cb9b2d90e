// The distinct requests to shared memory of a launch, for whoever looks for a better layout of what lies there.
#ifndef SIM_RECORDS_H
#define SIM_RECORDS_H

#include "device/device.h"
#include "sim/requests.h"

enum {
    RECORD_ARRAY_NAME = 64
};

// A request, as often as it was made. Its addresses count from the start of the array, which is a variable in shared
// memory, or all of dynamic shared memory, whose name is empty.
struct sim_recorded {
    const char *file; // of the source line; NULL: unknown. It lives as long as the device.
    uint32_t line;
    char array[RECORD_ARRAY_NAME];
    uint64_t array_offset, array_bytes; // in the block's shared memory
    uint64_t count;
    struct request request;
    bool copies, past_l1;          // as in struct sim_recording_entry
    uint64_t from[WARP_WIDTH_MAX]; // where a copy comes from
};

// The records of the last launch, if the device keeps them (sim.h), which the caller frees. STATUS_FAILED if it made
// more than RECORDS_MAX requests that differ.
enum status sim_records(struct device *device, struct sim_recorded **records, size_t *count, struct error *error);

#endif
