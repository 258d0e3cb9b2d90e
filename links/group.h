// Describes how the devices are connected.
// Transfers that run at once: checked together, then each timed while the others run, or all together.
#ifndef LINKS_GROUP_H
#define LINKS_GROUP_H

#include "bench/measure.h"
#include "bench/probe.h"
#include "links/transfer.h"

// Writes metadata: a line for each device's bus, and one for each pair of devices.
enum status links_describe(void *session, const struct run *runs, size_t run_count, struct bench_device *devices,
                           size_t count, struct output *output, struct error *error);

struct group_result {
    struct measurement measurement;
    enum verification verification;
};

// Opens the transfers, measures one result for each, and closes them. The measurements' time counts for `run`. joined:
// the time of each is that until the last has ended, because transfers that share a copy engine take turns on it.
enum status group_measure(const struct run *run, const struct settings *settings, struct transfer *transfers,
                          size_t count, bool joined, struct group_result *results, struct error *error);

#endif
