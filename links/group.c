#include "links/group.h"

enum {
    LOAD_FACTOR = 2, // the others' transfers run this many times, so that none ends before the timed one
    REPEATS_MAX = 16
};
// A round beside others, because shared resources take time to fill.
static const uint64_t LOADED_BYTES = UINT64_C(2) << 30;
// Before a round with others: longer than requesting its first transfers takes.
static const uint64_t LEAD_BYTES = UINT64_C(16) << 20;

struct group {
    struct transfer *transfers;
    size_t count;
    size_t timed; // index of the transfer whose device's stream is timed
    bool joined;  // a round ends with the last transfer
};

static enum status enqueue_others(const struct group *group, int times, struct error *error) {
    for (size_t i = 0; i < group->count * (size_t)times; i++) {
        const struct transfer *transfer = &group->transfers[i % group->count];
        if (transfer != &group->transfers[group->timed]) {
            TRY(transfer_enqueue(transfer, transfer->stream, error));
        }
    }
    return STATUS_OK;
}

// How often a transfer must be repeated to move so many bytes.
static uint64_t times_of(const struct group *group, uint64_t bytes) {
    const uint64_t times = bytes / group->transfers[group->timed].bytes;
    return times == 0 ? 1 : times < REPEATS_MAX ? times : REPEATS_MAX;
}

// How often a round repeats each transfer.
static uint64_t repeats(const struct group *group) {
    return group->count == 1 ? 1 : times_of(group, LOADED_BYTES);
}

static struct stream *stream_of(const struct group *group, size_t index) {
    return index == group->timed ? NULL : group->transfers[index].stream;
}

static struct device *device_of(const struct group *group, size_t index) {
    return transfer_actor(&group->transfers[index])->device;
}

// Makes a stream wait for what has been requested of another one.
static enum status follow(const struct group *group, size_t after, size_t stream, struct error *error) {
    struct event *reached = group->transfers[after].reached;
    TRY(device_event_record_in(device_of(group, after), stream_of(group, after), reached, error));
    return device_event_wait_in(device_of(group, stream), stream_of(group, stream), reached, error);
}

// Makes the timed stream wait for all others.
static enum status gather(const struct group *group, struct error *error) {
    for (size_t i = 0; i < group->count; i++) {
        if (i != group->timed) {
            TRY(follow(group, i, group->timed, error));
        }
    }
    return STATUS_OK;
}

static enum status enqueue_round(void *context, struct error *error) {
    const struct group *group = context;
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

static enum status wait_for_others(const struct group *group, struct error *error) {
    for (size_t i = 0; i < group->count; i++) {
        const struct transfer *transfer = &group->transfers[i];
        if (i != group->timed) {
            TRY(device_synchronize_in(transfer_actor(transfer)->device, transfer->stream, error));
        }
    }
    return STATUS_OK;
}

// Lets all streams go on at the same moment: the timed one waits for all others, and then they wait for it.
static enum status meet(const struct group *group, struct error *error) {
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
    const struct group *group = context;
    TRY(wait_for_others(group, error));
    for (uint64_t i = 0; i < times_of(group, LEAD_BYTES); i++) {
        TRY(transfer_enqueue(&group->transfers[group->timed], NULL, error));
        TRY(enqueue_others(group, 1, error));
    }
    return meet(group, error);
}

// Runs all at once, into poisoned memory.
static enum status verify(const struct group *group, struct group_result *results, struct error *error) {
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
        bool right = false;
        TRY(transfer_check(&group->transfers[i], &right, error));
        results[i].verification = right ? VERIFICATION_PASSED : VERIFICATION_FAILED;
    }
    return STATUS_OK;
}

static enum status time_each(const struct run *run, const struct settings *settings, struct group *group,
                             struct group_result *results, struct error *error) {
    const struct work work = {enqueue_round, group}, load = {renew_load, group};
    const size_t timed = group->joined ? 1 : group->count;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < timed && status == STATUS_OK; i++) {
        struct bench_device *actor = transfer_actor(&group->transfers[i]);
        const double before_s = actor->sampled_s;
        group->timed = i;
        status =
            measure_beside(actor, settings, &work, group->count > 1 ? &load : NULL, &results[i].measurement, error);
        divide(&results[i].measurement, (double)repeats(group));
        if (status == STATUS_OK) {
            status = wait_for_others(group, error);
        }
        const double sampled_s = actor->sampled_s - before_s;
        actor->sampled_s -= sampled_s;
        run->bench_device->sampled_s += sampled_s;
    }
    for (size_t i = timed; i < group->count; i++) {
        results[i].measurement = results[0].measurement;
    }
    return status;
}

enum status group_measure(const struct run *run, const struct settings *settings, struct transfer *transfers,
                          size_t count, bool joined, struct group_result *results, struct error *error) {
    struct group group = {.transfers = transfers, .count = count, .joined = joined};
    enum status status = STATUS_OK;
    size_t opened = 0;
    while (opened < count && status == STATUS_OK) {
        status = transfer_open(&transfers[opened++], error);
    }
    if (status == STATUS_OK) {
        status = verify(&group, results, error);
    }
    if (status == STATUS_OK) {
        status = time_each(run, settings, &group, results, error);
    }
    for (size_t i = 0; i < opened; i++) {
        transfer_close(&transfers[i]);
    }
    return status;
}
