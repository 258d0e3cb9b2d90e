#include "links/bandwidth.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/cpu/host.h"
#include "links/group.h"
#include "links/row.h"
#include "links/schedule.h"
#include "links/variant.h"
#include "util/random.h"

enum {
    ENDS = 2,          // of a link, both on one device where the other one is its neighbour in both directions
    DEFAULT_SHARE = 8, // of the memory, for one default footprint
};
// Below it, one thread that asks for all transfers is slower than they are.
static const uint64_t AT_ONCE_BYTES = UINT64_C(1) << 20;

// ---- Which points there are ----

enum status links_check_bandwidth(const struct run *run, const struct point *point, struct error *error) {
    const struct device_info *info = &run->bench_device->device->info;
    const uint64_t bytes = point->values[LINKS_FOOTPRINT];
    if (bytes % LINKS_WORD_BYTES != 0) {
        return error_set(error, STATUS_USAGE, "--footprint %" PRIu64 ": not a multiple of %d bytes: give whole words",
                         bytes, LINKS_WORD_BYTES);
    }
    if (bytes > device_free_bytes(info) / ENDS) {
        return error_set(error, STATUS_USAGE,
                         "--footprint %" PRIu64 ": both ends need twice that, %s has %" PRIu64
                         " bytes free: give a smaller one",
                         bytes, info->spec, device_free_bytes(info));
    }
    return links_detail_of(run)->pairs
               ? STATUS_OK
               : cpu_memory_check("--footprint", (double)(ENDS * bytes), "give a smaller one", error);
}

bool links_skip_bandwidth(const struct run *run, const struct point *point) {
    const uint64_t bytes = point->values[LINKS_FOOTPRINT];
    const bool on_host = !links_detail_of(run)->pairs;
    return run->defaulted[LINKS_FOOTPRINT] &&
           (bytes > device_free_bytes(&run->bench_device->device->info) / DEFAULT_SHARE ||
            (on_host && bytes > cpu_memory().available_bytes / DEFAULT_SHARE));
}

// How long the point's memory takes: that of the host is made, filled and checked by this machine's threads.
void links_cost_bandwidth(const struct run *run, const struct point *point, struct point_cost *cost) {
    static const double HOST_BYTES_S = 1e9, DEVICE_BYTES_S = 100e9;
    enum {
        HOST_ROUTES = 4,
        ROUNDS = 5 // of which the plan takes the time
    };
    const bool pairs = links_detail_of(run)->pairs;
    const double routes = pairs ? (double)run->device_count : (double)HOST_ROUTES;
    const double bytes_s = pairs ? DEVICE_BYTES_S : HOST_BYTES_S;
    cost->round_s = routes * (double)point->values[LINKS_FOOTPRINT] / bytes_s / (double)ROUNDS;
}

// Whether what a group holds on each device and on the host fits there.
static bool fits(const struct run *run, const struct links_schedule *schedule, const struct links_group *group,
                 uint64_t bytes) {
    struct bench_device *bench = NULL;
    uint64_t room = cpu_memory().available_bytes;
    bool fitting = true;
    for (size_t number = 0; fitting && (number == 0 || bench); number++) {
        uint64_t held = 0;
        for (size_t i = group->first; i < group->first + group->count; i++) {
            held += (schedule->routes[i].from == bench ? bytes : 0) + (schedule->routes[i].to == bench ? bytes : 0);
        }
        fitting = held <= room / ENDS;
        bench = links_peer(run, number);
        room = bench ? device_free_bytes(&bench->device->info) : 0;
    }
    return fitting;
}

// ---- Measuring them ----

// A transfer's bytes follow from everything that tells it from others, so that no check passes with another one's
// bytes.
static uint64_t seed_of(const struct run *run, const struct links_route *route, const struct links_group *group,
                        uint64_t bytes) {
    uint64_t seed = mix64(run->settings->seed + bytes);
    seed = mix64(seed + (route->from ? (uint64_t)(route->from - run->devices) + 1 : 0));
    seed = mix64(seed + (route->to ? (uint64_t)(route->to - run->devices) + 1 : 0));
    return mix64(seed + group->count) + (uint64_t)links_detail_of(run)->mover;
}

static struct transfer make_transfer(const struct run *run, const struct links_route *route,
                                     const struct links_group *group, uint64_t bytes) {
    const struct links_detail *detail = links_detail_of(run);
    return (struct transfer){.from = route->from,
                             .to = route->to,
                             .mover = detail->mover,
                             .memory = detail->memory,
                             .bytes = bytes,
                             .seed = seed_of(run, route, group, bytes),
                             .kernels = links_kernels_of(run),
                             .kernel_count = SELECTION_DEVICES_MAX};
}

static void count_beside(struct transfer *transfers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            transfers[i].others += i != k && transfer_actor(&transfers[i]) == transfer_actor(&transfers[k]);
        }
    }
}

static enum status emit(struct run *run, const struct links_group *group, const struct transfer *transfers,
                        const struct group_result *results, struct error *error) {
    double sum = 0;
    for (size_t i = 0; i < group->count; i++) {
        sum += (double)transfers[i].bytes / results[i].measurement.time_ns.median;
    }
    for (size_t i = 0; i < group->count; i++) {
        struct row row = links_row(run, &transfers[i], group->direction);
        row.useful_bytes = (double)transfers[i].bytes;
        row.one_way_gb_s = row.useful_bytes / results[i].measurement.time_ns.median;
        row.sum_gb_s = group->count > 1 ? sum : NAN;
        links_finish_row(&row, &results[i].measurement, results[i].verification);
        TRY(run_emit(run, &row, error));
    }
    return STATUS_OK;
}

static enum status measure_group(struct run *run, const struct links_schedule *schedule,
                                 const struct links_group *group, uint64_t bytes, struct error *error) {
    struct settings settings = links_share(run->settings, schedule->route_count);
    struct transfer *transfers = calloc(group->count, sizeof *transfers);
    struct group_result *results = calloc(group->count, sizeof *results);
    enum status status = STATUS_OK;
    // Several streams would fill their queues, and the timed one would run dry.
    settings.long_samples = group->count == 1;
    settings.host_has_part = true;
    if (!transfers || !results) {
        status = error_set(error, STATUS_FAILED, "out of memory: close other programs");
    }
    for (size_t i = 0; i < group->count && status == STATUS_OK; i++) {
        transfers[i] = make_transfer(run, &schedule->routes[group->first + i], group, bytes);
    }
    if (status == STATUS_OK) {
        count_beside(transfers, group->count);
        status = group_measure(run, &settings, transfers, group->count, group->joined, results, error);
    }
    if (status == STATUS_OK) {
        status = emit(run, group, transfers, results, error);
    }
    free(transfers);
    free(results);
    return status;
}

enum status links_measure_bandwidth(struct run *run, const struct point *point, struct error *error) {
    const uint64_t bytes = point->values[LINKS_FOOTPRINT];
    const struct links_detail *detail = links_detail_of(run);
    // A copy of pageable memory keeps the thread that asks for it, so two would go one after the other.
    const bool at_once = bytes >= AT_ONCE_BYTES && (detail->pairs || detail->memory != HOST_PAGEABLE);
    struct links_schedule schedule;
    enum status status = links_schedule_make(&schedule, run, at_once, error);
    for (size_t i = 0; status == STATUS_OK && i < schedule.group_count; i++) {
        const struct links_group *group = &schedule.groups[i];
        if (group->count <= ENDS || fits(run, &schedule, group, bytes)) {
            status = measure_group(run, &schedule, group, bytes, error);
        }
    }
    links_schedule_clear(&schedule);
    return status;
}
