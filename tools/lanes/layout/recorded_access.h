// The accesses of a kernel to an array in shared memory, from the requests that were recorded.
#ifndef TOOLS_LANES_LAYOUT_RECORDED_ACCESS_H
#define TOOLS_LANES_LAYOUT_RECORDED_ACCESS_H

#include "tools/lanes/kernel.h"
#include "tools/lanes/layout/search.h"

// A line that accesses the array, by operation and width.
struct recorded_access {
    uint32_t line;
    enum operation operation;
    uint32_t bytes; // of a lane
    char name[48];  // "line 20 load 4"
};

struct recorded_accesses {
    struct recorded_access *list; // owned
    size_t count;
};

// Whether the record is of the array of this name; "dynamic" is all of dynamic shared memory. On AMD's GPUs arrays have
// no names, so that one of any name is all of the static.
bool record_is_of(const struct sim_recorded *record, const char *array);

// Adds those of the records that are of the array and not in the list yet.
enum status recorded_accesses_add(struct recorded_accesses *accesses, const struct record_list *records,
                                  const char *array, struct error *error);

// The requests of one access as those to a tile. STATUS_USAGE if they do not fit to it.
enum status recorded_requests(const struct recorded_access *access, const struct record_list *records,
                              const char *array, const struct tile *tile, struct tile_requests *requests,
                              struct error *error);

#endif
