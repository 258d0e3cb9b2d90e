// Bandwidth of a link by the size of a transfer.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "device/cpu/host.h"
#include "links/row.h"
#include "links/schedule.h"
#include "util/random.h"

// ---- Groups of devices ----

// Transfers that run at once are checked together, then each timed while the others run, or all together.

enum {
    LOAD_FACTOR = 2, // the others' transfers run this many times, so that none ends before the timed one
    REPEATS_MAX = 16
};
// A round beside others, because shared resources take time to fill.
static const uint64_t LOADED_BYTES = UINT64_C(2) << 30;
// Before a round with others: longer than requesting its first transfers takes.
static const uint64_t LEAD_BYTES = UINT64_C(16) << 20;

static enum status enqueue_others(const struct links_group *group, int times, struct error *error) {
    for (size_t i = 0; i < group->count * (size_t)times; i++) {
        const struct transfer *transfer = &group->transfers[i % group->count];
        if (transfer != &group->transfers[group->timed]) {
            TRY(transfer_enqueue(transfer, transfer->stream, error));
        }
    }
    return STATUS_OK;
}

// How often a transfer must be repeated to move so many bytes.
static uint64_t times_of(const struct links_group *group, uint64_t bytes) {
    const uint64_t times = bytes / group->transfers[group->timed].bytes;
    return times == 0 ? 1 : times < REPEATS_MAX ? times : REPEATS_MAX;
}

// How often a round repeats each transfer.
static uint64_t repeats(const struct links_group *group) {
    return group->count == 1 ? 1 : times_of(group, LOADED_BYTES);
}

static struct stream *stream_of(const struct links_group *group, size_t index) {
    return index == group->timed ? NULL : group->transfers[index].stream;
}

static struct device *device_of(const struct links_group *group, size_t index) {
    return transfer_actor(&group->transfers[index])->device;
}

// Makes a stream wait for what has been requested of another one.
static enum status follow(const struct links_group *group, size_t after, size_t stream, struct error *error) {
    struct event *reached = group->transfers[after].reached;
    TRY(device_event_record_in(device_of(group, after), stream_of(group, after), reached, error));
    return device_event_wait_in(device_of(group, stream), stream_of(group, stream), reached, error);
}

// Makes the timed stream wait for all others.
static enum status gather(const struct links_group *group, struct error *error) {
    for (size_t i = 0; i < group->count; i++) {
        if (i != group->timed) {
            TRY(follow(group, i, group->timed, error));
        }
    }
    return STATUS_OK;
}

static enum status enqueue_round(void *context, struct error *error) {
    const struct links_group *group = context;
    for (uint64_t i = 0; i < repeats(group); i++) {
        TRY(transfer_enqueue(&group->transfers[group->timed], NULL, error));
        TRY(enqueue_others(group, group->joined ? 1 : LOAD_FACTOR, error));
    }
    return group->joined ? gather(group, error) : STATUS_OK;
}

// Turns the times of a round into those of one of its repeats.
static void divide(struct measurement *measurement, double by) {
    measurement->time_ns.median /= by;
    measurement->time_ns.min /= by;
    measurement->time_ns.max /= by;
    measurement->time_ns.lower_quartile /= by;
    measurement->time_ns.upper_quartile /= by;
    measurement->time_ns.mean /= by;
    measurement->time_ns.interval.low /= by;
    measurement->time_ns.interval.high /= by;
}

static enum status wait_for_others(const struct links_group *group, struct error *error) {
    for (size_t i = 0; i < group->count; i++) {
        const struct transfer *transfer = &group->transfers[i];
        if (i != group->timed) {
            TRY(device_synchronize_in(transfer_actor(transfer)->device, transfer->stream, error));
        }
    }
    return STATUS_OK;
}

// Lets all streams go on at the same moment: the timed one waits for all others, and then they wait for it.
static enum status meet(const struct links_group *group, struct error *error) {
    TRY(gather(group, error));
    for (size_t i = 0; i < group->count; i++) {
        if (i != group->timed) {
            TRY(follow(group, group->timed, i, error));
        }
    }
    return STATUS_OK;
}

// Before each sample: waits for the others' remaining transfers, then has all transfers run for a while, and then begin
// together. While they run the sample's transfers are requested.
static enum status renew_load(void *context, struct error *error) {
    const struct links_group *group = context;
    TRY(wait_for_others(group, error));
    for (uint64_t i = 0; i < times_of(group, LEAD_BYTES); i++) {
        TRY(transfer_enqueue(&group->transfers[group->timed], NULL, error));
        TRY(enqueue_others(group, 1, error));
    }
    return meet(group, error);
}

// Runs all at once, into poisoned memory.
static enum status verify(const struct links_group *group, struct error *error) {
    for (size_t i = 0; i < group->count; i++) {
        TRY(transfer_poison(&group->transfers[i], error));
    }
    for (size_t i = 0; i < group->count; i++) {
        TRY(transfer_enqueue(&group->transfers[i], group->transfers[i].stream, error));
    }
    for (size_t i = 0; i < group->count; i++) {
        const struct transfer *transfer = &group->transfers[i];
        TRY(device_synchronize_in(transfer_actor(transfer)->device, transfer->stream, error));
    }
    for (size_t i = 0; i < group->count; i++) {
        TRY(transfer_check(&group->transfers[i], &group->transfers[i].right, error));
    }
    return STATUS_OK;
}

static enum status time_each(const struct run *run, const struct settings *settings, struct links_group *group,
                             struct measurement *results, struct error *error) {
    const struct work work = {enqueue_round, group}, load = {renew_load, group};
    const size_t timed = group->joined ? 1 : group->count;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < timed && status == STATUS_OK; i++) {
        struct bench_device *actor = transfer_actor(&group->transfers[i]);
        const double before_s = actor->sampled_s;
        group->timed = i;
        status = measure_beside(actor, settings, &work, group->count > 1 ? &load : NULL, &results[i], error);
        divide(&results[i], (double)repeats(group));
        THEN(status, wait_for_others(group, error));
        const double sampled_s = actor->sampled_s - before_s;
        actor->sampled_s -= sampled_s;
        run->bench_device->sampled_s += sampled_s;
    }
    for (size_t i = timed; i < group->count; i++) {
        results[i] = results[0];
    }
    for (size_t i = 0; i < group->count; i++) {
        results[i].verification = verification_of(group->transfers[i].right);
    }
    return status;
}

// Opens the transfers, measures one result for each, and closes them. The measurements' time counts for `run`. The time
// of joined ones is that until the last has ended, because transfers that share a copy engine take turns on it.
static enum status time_group(const struct run *run, const struct settings *settings, struct links_group *group,
                              struct measurement *results, struct error *error) {
    enum status status = STATUS_OK;
    size_t opened = 0;
    while (opened < group->count && status == STATUS_OK) {
        status = transfer_open(&group->transfers[opened++], error);
    }
    THEN(status, verify(group, error));
    THEN(status, time_each(run, settings, group, results, error));
    for (size_t i = 0; i < opened; i++) {
        transfer_close(&group->transfers[i]);
    }
    return status;
}

// ---- Bandwidth ----

enum {
    ENDS = 2,          // of a link, both on one device where the other one is its neighbour in both directions
    DEFAULT_SHARE = 8, // of the memory, for one default footprint
};
// Below it, one thread that asks for all transfers is slower than they are.
static const uint64_t AT_ONCE_BYTES = UINT64_C(1) << 20;

// ---- Which points there are ----

enum status links_check_bandwidth(const struct run *run, const struct point *point, struct error *error) {
    const struct device_info *info = run_info(run);
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
    return links_skip_unreachable(run, point) ||
           (run->defaulted[LINKS_FOOTPRINT] && (bytes > device_free_bytes(run_info(run)) / DEFAULT_SHARE ||
                                                (on_host && bytes > cpu_memory().available_bytes / DEFAULT_SHARE)));
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
static bool fits(const struct run *run, const struct links_group *group, uint64_t bytes) {
    struct bench_device *bench = NULL;
    uint64_t room = cpu_memory().available_bytes;
    bool fitting = true;
    for (size_t number = 0; fitting && (number == 0 || bench); number++) {
        uint64_t held = 0;
        for (size_t i = 0; i < group->count; i++) {
            held += (group->transfers[i].from == bench ? bytes : 0) + (group->transfers[i].to == bench ? bytes : 0);
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
static uint64_t seed_of(const struct run *run, const struct transfer *transfer, size_t count, uint64_t bytes) {
    uint64_t seed = mix64(run->settings->seed + bytes);
    seed = mix64(seed + (transfer->from ? (uint64_t)(transfer->from - run->devices) + 1 : 0));
    seed = mix64(seed + (transfer->to ? (uint64_t)(transfer->to - run->devices) + 1 : 0));
    return mix64(seed + count) + (uint64_t)links_detail_of(run)->mover;
}

static void set_transfers(const struct run *run, struct links_group *group, uint64_t bytes) {
    const struct links_detail *detail = links_detail_of(run);
    for (size_t i = 0; i < group->count; i++) {
        struct transfer *transfer = &group->transfers[i];
        transfer->mover = detail->mover;
        transfer->memory = detail->memory;
        transfer->bytes = bytes;
        transfer->seed = seed_of(run, transfer, group->count, bytes);
        transfer->kernels = links_kernels_of(run);
    }
    for (size_t i = 0; i < group->count; i++) {
        for (size_t k = 0; k < group->count; k++) {
            group->transfers[i].others +=
                i != k && transfer_actor(&group->transfers[i]) == transfer_actor(&group->transfers[k]);
        }
    }
}

static enum status emit(struct run *run, const struct links_group *group, const struct measurement *results,
                        struct error *error) {
    double sum = 0;
    for (size_t i = 0; i < group->count; i++) {
        sum += (double)group->transfers[i].bytes / results[i].time_ns.median;
    }
    for (size_t i = 0; i < group->count; i++) {
        struct row row = links_row(run, &group->transfers[i], group->direction);
        row.useful_bytes = (double)group->transfers[i].bytes;
        row.one_way_gb_s = row.useful_bytes / results[i].time_ns.median;
        row.sum_gb_s = group->count > 1 ? sum : NAN;
        links_finish_row(&row, &results[i]);
        TRY(run_emit(run, &row, error));
    }
    return STATUS_OK;
}

static enum status measure_group(struct run *run, size_t all_count, struct links_group *group, uint64_t bytes,
                                 struct error *error) {
    struct settings settings = links_share(run->settings, all_count);
    struct measurement *results = memory_zeros(group->count, sizeof *results);
    // Several streams would fill their queues, and the timed one would run dry.
    settings.long_samples = group->count == 1;
    settings.host_has_part = true;
    set_transfers(run, group, bytes);
    enum status status = time_group(run, &settings, group, results, error);
    THEN(status, emit(run, group, results, error));
    free(results);
    return status;
}

enum status links_measure_bandwidth(struct run *run, const struct point *point, struct error *error) {
    const uint64_t bytes = point->values[LINKS_FOOTPRINT];
    const struct links_detail *detail = links_detail_of(run);
    // A copy of pageable memory keeps the thread that asks for it, so two would go one after the other.
    const bool at_once = bytes >= AT_ONCE_BYTES && (detail->pairs || detail->memory != HOST_PAGEABLE);
    struct links_schedule schedule = links_schedule_make(run, at_once);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < schedule.group_count; i++) {
        struct links_group *group = &schedule.groups[i];
        if (group->count <= ENDS || fits(run, group, bytes)) {
            status = measure_group(run, schedule.transfer_count, group, bytes, error);
        }
    }
    links_schedule_clear(&schedule);
    return status;
}
