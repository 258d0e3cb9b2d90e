// What a point of a variant transfers: groups of routes, the routes of a group at once.
#ifndef LINKS_SCHEDULE_H
#define LINKS_SCHEDULE_H

#include "bench/probe.h"

struct links_route {
    struct bench_device *from, *to; // NULL: the host
};

struct links_group {
    const char *direction; // "one-way", "both-ways", "all-at-once"
    size_t first, count;   // of the routes
};

struct links_schedule {
    struct links_route *routes;
    struct links_group *groups;
    size_t route_count, group_count;
};

// Of the run's device and the host, or of its pairs with the devices that are listed behind it; the first device also
// has what all devices do at once. at_once: whether routes may run at once.
enum status links_schedule_make(struct links_schedule *schedule, const struct run *run, bool at_once,
                                struct error *error);
void links_schedule_clear(struct links_schedule *schedule);

// Whether the run's device has any route: a pair needs another device, and kernels need one that they reach.
bool links_has_routes(const struct run *run);

// Devices of the run's backend that a program has opened: the number-th, NULL behind the last.
struct bench_device *links_peer(const struct run *run, size_t number);

// Whether this variant can go from one to the other.
bool links_joined(const struct run *run, const struct bench_device *from, const struct bench_device *to);

#endif
