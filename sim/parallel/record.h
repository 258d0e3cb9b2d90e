// What a worker leaves for the process that started it: values one after another, in memory that both have.
#ifndef SIM_PARALLEL_RECORD_H
#define SIM_PARALLEL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct sim_record {
    unsigned char *bytes;
    size_t room, at; // at: where the next value is written or read
    bool is_full;    // a value did not fit
};

enum {
    SIM_RECORD_ALIGNMENT = 8 // of each value
};

static inline size_t sim_record_padded(size_t bytes) {
    return (bytes + SIM_RECORD_ALIGNMENT - 1) / SIM_RECORD_ALIGNMENT * SIM_RECORD_ALIGNMENT;
}

// Makes room for a value; NULL if it does not fit.
static inline void *sim_record_add(struct sim_record *record, size_t bytes) {
    void *place = record->bytes + record->at;
    if (record->is_full || record->room - record->at < sim_record_padded(bytes)) {
        record->is_full = true;
        return NULL;
    }
    record->at += sim_record_padded(bytes);
    return place;
}

static inline void sim_record_put(struct sim_record *record, const void *value, size_t bytes) {
    void *place = sim_record_add(record, bytes);
    if (place) {
        memcpy(place, value, bytes);
    }
}

// The next value, which sim_record_add made room for.
static inline const void *sim_record_get(struct sim_record *record, size_t bytes) {
    const void *place = record->bytes + record->at;
    record->at += sim_record_padded(bytes);
    return place;
}

#endif
