// The transfers of a variant's point: groups of routes; the routes of a group run at once.
#ifndef LINKS_SCHEDULE_H
#define LINKS_SCHEDULE_H

#include "bench/probe.h"

struct links_route {
    struct bench_device *from, *to; // NULL: the host
};

struct links_group {
    const char *direction; // "one-way", "both-ways", "all-at-once"
    size_t first, count;   // of the routes
    bool joined;           // timed as one, until the last has ended; otherwise each while the others run
};

struct links_schedule {
    struct links_route *routes;
    struct links_group *groups;
    size_t route_count, group_count;
};

// Routes between the run's device and the host, or its pairs with the devices listed after it; the first device also
// has the group of all devices. at_once: whether routes may run at once.
struct links_schedule links_schedule_make(const struct run *run, bool at_once);
void links_schedule_clear(struct links_schedule *schedule);

// Leaves out the points of a device without a route: a pair needs another device, and kernels need one that they reach.
bool links_skip_unreachable(const struct run *run, const struct point *point);

// The number-th open device of the run's backend; NULL after the last.
struct bench_device *links_peer(const struct run *run, size_t number);

#endif
