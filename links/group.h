// Transfers that run at once: checked together, then each timed while the others run, or all together.
#ifndef LINKS_GROUP_H
#define LINKS_GROUP_H

#include "bench/measure.h"
#include "bench/probe.h"
#include "links/transfer.h"

struct group_result {
    struct measurement measurement;
    enum verification verification;
};

// Opens the transfers, measures one result for each, and closes them. The measurements' time counts for `run`. joined:
// the time of each is that until the last has ended, because transfers that share a copy engine take turns on it.
enum status group_measure(const struct run *run, const struct settings *settings, struct transfer *transfers,
                          size_t count, bool joined, struct group_result *results, struct error *error);

#endif
