#include "sim/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"
#include "sim/sim_device.h"

// Names the array that the first lane accesses, and makes the addresses relative to it.
static void place_in_array(const struct sim_device *sim, struct sim_recorded *record) {
    const struct sim_recording *recording = sim->recording;
    const uint64_t first = record->request.address[__builtin_ctzll(record->request.active)];
    const struct sim_variable *fixed =
        first < recording->fixed_bytes ? sim_module_nearest_shared(sim->counted_entry, first) : NULL;
    const struct sim_variable variable =
        fixed ? *fixed : (struct sim_variable){"", recording->fixed_bytes, recording->dynamic_bytes};
    snprintf(record->array, sizeof record->array, "%s", variable.name);
    record->array_offset = variable.offset;
    record->array_bytes = variable.bytes;
    for (uint64_t left = record->request.active; left; left &= left - 1) {
        record->request.address[__builtin_ctzll(left)] -= variable.offset;
    }
}

enum status sim_records(struct device *device, struct sim_recorded **records, size_t *count, struct error *error) {
    const struct sim_device *sim = sim_of(device);
    const struct sim_recording *recording = sim->recording;
    *count = 0;
    if (!recording || !sim->counted || recording->overflowed) {
        return error_set(error, STATUS_FAILED,
                         "the kernel makes more than %d requests to shared memory that differ: give a smaller grid",
                         RECORDS_MAX);
    }
    *records = memory_zeros(recording->count, sizeof **records);
    for (size_t i = 0; i < recording->count; i++) {
        struct sim_recorded *record = &(*records)[i];
        const struct sim_recording_entry *entry = &recording->list[i];
        *record = (struct sim_recorded){
            .count = entry->count, .request = entry->request, .copies = entry->copies, .past_l1 = entry->past_l1};
        memcpy(record->from, entry->from, sizeof record->from);
        sim_module_source_line(&sim->counted->module, recording->list[i].pc, &record->file, &record->line);
        place_in_array(sim, record);
    }
    *count = recording->count;
    return STATUS_OK;
}
