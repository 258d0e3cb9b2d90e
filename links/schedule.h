// The transfers of a variant's point, in groups that run at once.
#ifndef LINKS_SCHEDULE_H
#define LINKS_SCHEDULE_H

#include "bench/probe.h"
#include "links/transfer.h"

struct links_group {
    const char *direction; // "one-way", "both-ways", "all-at-once"
    struct transfer *transfers;
    size_t count;
    bool joined;  // timed as one, until the last has ended; otherwise each while the others run
    size_t timed; // index of the transfer whose device's stream is timed
};

struct links_schedule {
    struct transfer *transfers; // of all groups
    struct links_group *groups;
    size_t transfer_count, group_count;
};

// Transfers between the run's device and the host, or its pairs with the devices listed after it; the first device also
// has the group of all devices. Only their ends are set. at_once: whether transfers may run at once.
struct links_schedule links_schedule_make(const struct run *run, bool at_once);
void links_schedule_clear(struct links_schedule *schedule);

// Leaves out the points of a device without a route: a pair needs another device, and kernels need one that they reach.
bool links_skip_unreachable(const struct run *run, const struct point *point);

// The number-th open device of the run's backend; NULL after the last.
struct bench_device *links_peer(const struct run *run, size_t number);

#endif
