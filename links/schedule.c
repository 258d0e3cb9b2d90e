#include "links/schedule.h"

#include <stdlib.h>

#include "links/row.h"

struct bench_device *links_peer(const struct run *run, size_t number) {
    for (size_t i = 0; i < run->device_count; i++) {
        struct bench_device *bench = &run->devices[i];
        if (bench->device->info.backend == run_info(run)->backend && number-- == 0) {
            return bench;
        }
    }
    return NULL;
}

// Whether this variant can transfer from one to the other.
static bool may_transfer(const struct run *run, const struct bench_device *from, const struct bench_device *to) {
    struct device_link link;
    if (from == to) {
        return false;
    }
    device_link(from->device, to->device, &link);
    return link.direct || !mover_is_kernel(links_detail_of(run)->mover);
}

bool links_skip_unreachable(const struct run *run, const struct point *point) {
    const struct bench_device *peer;
    bool found = !run->devices || !links_detail_of(run)->pairs;
    (void)point;
    for (size_t i = 0; !found && (peer = links_peer(run, i)) != NULL; i++) {
        found = may_transfer(run, run->bench_device, peer) || may_transfer(run, peer, run->bench_device);
    }
    return !found;
}

static void add_transfer(struct links_schedule *schedule, struct bench_device *from, struct bench_device *to) {
    schedule->transfers[schedule->transfer_count++] = (struct transfer){.from = from, .to = to};
}

static const char all_at_once[] = "all-at-once";

// Groups the transfers added since the group before, unless there are fewer than `least`.
static void end_group(struct links_schedule *schedule, const char *direction, size_t least) {
    const struct links_group *last = schedule->group_count ? &schedule->groups[schedule->group_count - 1] : NULL;
    struct transfer *first = last ? last->transfers + last->count : schedule->transfers;
    const size_t count = (size_t)(schedule->transfers + schedule->transfer_count - first);
    if (count < least) {
        schedule->transfer_count -= count;
    } else {
        schedule->groups[schedule->group_count++] =
            (struct links_group){direction, first, count, direction == all_at_once, 0};
    }
}

static void add_both_ways(struct links_schedule *schedule, struct bench_device *a, struct bench_device *b) {
    add_transfer(schedule, a, b);
    add_transfer(schedule, b, a);
    end_group(schedule, "both-ways", 2);
}

static void add_host_routes(struct links_schedule *schedule, const struct run *run, bool at_once) {
    struct bench_device *own = run->bench_device, *peer;
    for (int to_host = 0; to_host < 2; to_host++) {
        add_transfer(schedule, to_host ? own : NULL, to_host ? NULL : own);
        end_group(schedule, "one-way", 1);
    }
    if (at_once) {
        add_both_ways(schedule, NULL, own);
    }
    for (int to_host = 0; to_host < 2 && at_once && links_peer(run, 0) == own; to_host++) {
        for (size_t i = 0; (peer = links_peer(run, i)) != NULL; i++) {
            add_transfer(schedule, to_host ? peer : NULL, to_host ? NULL : peer);
        }
        end_group(schedule, all_at_once, 2);
    }
}

static void add_all_pairs(struct links_schedule *schedule, const struct run *run) {
    enum {
        MORE_THAN_BOTH_WAYS = 3
    };
    struct bench_device *from, *to;
    for (size_t i = 0; (from = links_peer(run, i)) != NULL; i++) {
        for (size_t k = 0; (to = links_peer(run, k)) != NULL; k++) {
            if (may_transfer(run, from, to)) {
                add_transfer(schedule, from, to);
            }
        }
    }
    end_group(schedule, all_at_once, MORE_THAN_BOTH_WAYS);
}

static void add_pair_routes(struct links_schedule *schedule, const struct run *run, bool at_once) {
    struct bench_device *own = run->bench_device, *peer;
    for (size_t i = 0; (peer = links_peer(run, i)) != NULL; i++) {
        if (may_transfer(run, own, peer)) {
            add_transfer(schedule, own, peer);
            end_group(schedule, "one-way", 1);
        }
    }
    for (size_t i = 0; at_once && (peer = links_peer(run, i)) != NULL; i++) {
        if (peer > own && may_transfer(run, own, peer) && may_transfer(run, peer, own)) {
            add_both_ways(schedule, own, peer);
        }
    }
    if (at_once && links_peer(run, 0) == own) {
        add_all_pairs(schedule, run);
    }
}

struct links_schedule links_schedule_make(const struct run *run, bool at_once) {
    const size_t devices = run->device_count;
    struct links_schedule schedule = {.transfers =
                                          memory_zeros(devices * devices + 4 * devices + 4, sizeof *schedule.transfers),
                                      .groups = memory_zeros(2 * devices + 4, sizeof *schedule.groups)};
    if (links_detail_of(run)->pairs) {
        add_pair_routes(&schedule, run, at_once);
    } else {
        add_host_routes(&schedule, run, at_once);
    }
    return schedule;
}

void links_schedule_clear(struct links_schedule *schedule) {
    free(schedule->transfers);
    free(schedule->groups);
    *schedule = (struct links_schedule){0};
}
