#include "bench/energy.h"

#include <math.h>
#include <time.h>

#include "device/energy.h"
#include "util/clock.h"
#include "util/error.h"

static const double BATCH_NS = 10e6; // long against a look at the counter, short against the run
static const double WARM_UP_S = 0.2; // until the device draws what the work needs
static const double RUN_S = 1.5;
static const struct timespec POLL = {.tv_nsec = 50000}; // short against a batch
static const double STANDSTILL_S = 5;                   // a counter that has not changed for so long counts nothing

// What the counter said last, and when it changed to that.
struct look {
    double joules, at_s;
    uint64_t rounds; // that were complete before the batch that was under way
};

struct meter {
    struct device *device;
    enum status (*enqueue)(void *context, struct error *error);
    void *context;
    uint64_t batch, batches, rounds; // rounds of one batch; batches that were started; rounds that are complete
    struct event *ends[2];           // of the batch that is under way, and of the one behind it
    struct look last;
    double batch_s; // the longest so far
    bool tells_reasons;
    uint64_t reasons; // of the clocks, at all looks so far
};

static void look_at_clocks(struct meter *meter) {
    uint64_t reasons = 0;
    if (device_throttle_reasons(meter->device, &reasons)) {
        meter->tells_reasons = true;
        meter->reasons |= reasons;
    }
}

static enum status start_batch(struct meter *meter, struct error *error) {
    for (uint64_t i = 0; i < meter->batch; i++) {
        TRY(meter->enqueue(meter->context, error));
    }
    return device_event_record(meter->device, meter->ends[meter->batches++ % 2], error);
}

static enum status wait_for(const struct meter *meter, struct event *event, struct error *error) {
    for (bool done = false; !done;) {
        TRY(device_event_done(meter->device, event, &done, error));
        if (!done) {
            nanosleep(&POLL, NULL);
        }
    }
    return STATUS_OK;
}

// Looks while a batch is under way and the next one is queued, because NVML takes milliseconds, in which a device that
// has nothing to do draws less. *changed: the counter did.
static enum status step(struct meter *meter, bool *changed, struct error *error) {
    const double began_s = clock_s();
    double joules = 0;
    TRY(start_batch(meter, error));
    TRY(device_energy(meter->device, &joules, error));
    const double now_s = clock_s();
    *changed = joules != meter->last.joules;
    if (*changed) {
        look_at_clocks(meter);
    }
    TRY(wait_for(meter, meter->ends[meter->batches % 2], error)); // of the batch before
    meter->batch_s = fmax(meter->batch_s, clock_s() - began_s);
    if (*changed) {
        meter->last = (struct look){joules, now_s, meter->rounds};
    } else if (now_s - meter->last.at_s > STANDSTILL_S + meter->batch_s) {
        return error_set(error, STATUS_FAILED, "%s: its energy counter stands still: leave out --energy",
                         meter->device->info.spec);
    }
    meter->rounds += meter->batch;
    return STATUS_OK;
}

// Runs until the counter changes for the first time after so many seconds.
static enum status run_until(struct meter *meter, double end_s, uint64_t *steps, struct error *error) {
    for (bool changed = false; !changed || meter->last.at_s < end_s;) {
        TRY(step(meter, &changed, error));
        *steps += changed;
    }
    return STATUS_OK;
}

static enum status measure(struct meter *meter, struct energy *energy, struct error *error) {
    uint64_t steps = 0;
    TRY(start_batch(meter, error));
    do { // once more if the counter began again at 0
        TRY(run_until(meter, clock_s() + WARM_UP_S, &steps, error));
        const struct look first = meter->last;
        meter->batch_s = 0;
        meter->reasons = 0;
        steps = 0;
        TRY(run_until(meter, first.at_s + RUN_S, &steps, error));
        *energy = (struct energy){.joules = meter->last.joules - first.joules,
                                  .seconds = meter->last.at_s - first.at_s,
                                  .rounds = meter->last.rounds - first.rounds,
                                  .steps = steps,
                                  .batch_s = meter->batch_s,
                                  .tells_reasons = meter->tells_reasons,
                                  .reasons = meter->reasons};
    } while (energy->joules < 0);
    return device_synchronize(meter->device, error);
}

enum status energy_measure(struct device *device, enum status (*enqueue)(void *context, struct error *error),
                           void *context, double round_ns, struct energy *energy, struct error *error) {
    struct meter meter = {.device = device,
                          .enqueue = enqueue,
                          .context = context,
                          .batch = (uint64_t)fmax(1, ceil(BATCH_NS / fmax(round_ns, 1))),
                          .last = {.at_s = clock_s()}};
    enum status status = device_event_create(device, &meter.ends[0], error);
    THEN(status, device_event_create(device, &meter.ends[1], error));
    THEN(status, measure(&meter, energy, error));
    for (int i = 0; i < 2; i++) {
        if (meter.ends[i]) {
            device_event_destroy(device, meter.ends[i]);
        }
    }
    return status;
}
