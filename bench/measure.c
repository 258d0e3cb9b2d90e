#include "bench/measure.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "bench/counters/counting.h"
#include "bench/verdict.h"
#include "util/clock.h"
#include "util/processor_wait.h"

enum {
    SAMPLES_MIN = 10,
    SAMPLES_LONG = 12,
    SAMPLES_FEW = 3,                  // if the budget allows no more
    SETTLED_WINDOW = 32,              // the noise has settled if, over this many samples, ...
    THROTTLE_PAUSE_NS = 50 * 1000000, // for a device that is too hot to recover
};
static const double SETTLED_SPREAD = 0.05; // ... it changed by less than this share of itself
static const double SAMPLE_NS = 1e6;       // the shortest sample: 1000 times the resolution of a GPU's event clock
static const double LONG_SAMPLE_NS = 20e6; // with time for SAMPLES_LONG of them: timer ticks then hit all samples alike
static const double BATCH_MAX = 1 << 20;

struct samples {
    double *time_ns;
    double *clock_mhz;
    size_t count, capacity;
};

struct sampling {
    struct bench_device *bench_device;
    const struct settings *settings;
    const struct work *work, *reference; // reference: NULL if there is none
    uint64_t batch;                      // rounds per sample
    double queue_ns;                     // that the host took to queue a round of the latest sample; 0: there is none
    double started_s;
    struct samples good, throttled;
    double mean, squares;         // Welford's running sums over the good samples
    double noise[SETTLED_WINDOW]; // after each of the latest samples
};

static enum status append(struct samples *samples, double time_ns, double clock_mhz, struct error *error) {
    if (samples->count == samples->capacity) {
        size_t capacity = samples->capacity ? 2 * samples->capacity : 64;
        double *times = realloc(samples->time_ns, capacity * sizeof *times);
        samples->time_ns = times ? times : samples->time_ns;
        double *clocks = realloc(samples->clock_mhz, capacity * sizeof *clocks);
        samples->clock_mhz = clocks ? clocks : samples->clock_mhz;
        if (!times || !clocks) {
            return error_set(error, STATUS_FAILED, "out of memory");
        }
        samples->capacity = capacity;
    }
    samples->time_ns[samples->count] = time_ns;
    samples->clock_mhz[samples->count] = clock_mhz;
    samples->count++;
    return STATUS_OK;
}

static void samples_clear(struct samples *samples) {
    free(samples->time_ns);
    free(samples->clock_mhz);
}

// Keeps a GPU busy for as long as the host takes to queue the sample, so that no launch in it waits for the host. It is
// not held where other streams run beside it, because they would get ahead.
static enum status hold(const struct sampling *s, struct error *error) {
    return s->reference || s->settings->host_has_part
               ? STATUS_OK
               : bench_device_hold(s->bench_device, (double)s->batch * s->queue_ns, error);
}

static enum status take_sample(struct sampling *s, double *round_ns, struct error *error) {
    struct device *device = s->bench_device->device;
    enum status status = STATUS_OK;
    if (s->settings->cold && !device->info.predicted) {
        status = bench_device_flush(s->bench_device, error);
    }
    if (status == STATUS_OK) {
        status = hold(s, error);
    }
    const double began_ns = clock_ns();
    if (status == STATUS_OK) {
        status = device_event_record(device, s->bench_device->start, error);
    }
    for (uint64_t i = 0; i < s->batch && status == STATUS_OK; i++) {
        status = s->work->enqueue(s->work->context, error);
    }
    if (status == STATUS_OK) {
        status = device_event_record(device, s->bench_device->stop, error);
    }
    s->queue_ns = (clock_ns() - began_ns) / (double)s->batch;
    if (status == STATUS_OK) {
        status = device_synchronize(device, error);
    }
    if (status == STATUS_OK) {
        status = device_event_elapsed(device, s->bench_device->start, s->bench_device->stop, round_ns, error);
        *round_ns /= (double)s->batch;
    }
    return status;
}

static double least_sample_ns(const struct sampling *s) {
    if (!device_is_cpu(&s->bench_device->device->info) && !s->settings->long_samples) {
        return SAMPLE_NS;
    }
    return fmax(SAMPLE_NS, fmin(LONG_SAMPLE_NS, s->settings->max_time_s * 1e9 / (double)SAMPLES_LONG));
}

// Finds how many rounds make a sample long enough. A cold sample has one round: the next would find its data cached.
static enum status warm_up(struct sampling *s, struct error *error) {
    double round_ns = 0;
    s->batch = 1;
    enum status status = take_sample(s, &round_ns, error);
    while (status == STATUS_OK && !s->settings->cold && round_ns * (double)s->batch < least_sample_ns(s) &&
           (double)s->batch < BATCH_MAX) {
        s->batch *= 2;
        status = take_sample(s, &round_ns, error);
    }
    return status;
}

static void update_noise(struct sampling *s, double time_ns) {
    double count = (double)s->good.count;
    double from_mean = time_ns - s->mean;
    s->mean += from_mean / count;
    s->squares += from_mean * (time_ns - s->mean);
    double noise = count > 1 && s->mean > 0 ? sqrt(s->squares / (count - 1)) / s->mean : 0;
    s->noise[s->good.count % SETTLED_WINDOW] = noise;
}

static bool noise_settled(const struct sampling *s) {
    if (s->good.count < 2 * SETTLED_WINDOW) {
        return false;
    }
    double low = INFINITY;
    double high = 0;
    for (int i = 0; i < SETTLED_WINDOW; i++) {
        low = fmin(low, s->noise[i]);
        high = fmax(high, s->noise[i]);
    }
    return high - low < SETTLED_SPREAD * high;
}

static bool finished(const struct sampling *s) {
    size_t taken = s->good.count + s->throttled.count;
    if (s->throttled.count >= SAMPLES_MIN && s->throttled.count > s->good.count) {
        return true; // it will not recover
    }
    if (s->settings->samples > 0) {
        return s->good.count >= s->settings->samples || taken >= 2 * s->settings->samples + SAMPLES_MIN;
    }
    double elapsed = clock_s() - s->started_s;
    if (s->settings->limit_s > 0 && elapsed >= s->settings->limit_s && taken >= SAMPLES_FEW) {
        return true;
    }
    if (elapsed >= s->settings->max_time_s && taken >= SAMPLES_MIN) {
        return true;
    }
    if (s->good.count < SAMPLES_MIN || elapsed < s->settings->min_time_s) {
        return false;
    }
    double noise = s->noise[s->good.count % SETTLED_WINDOW];
    return 100 * noise < s->settings->noise_pct || noise_settled(s);
}

static enum status run_reference(const struct sampling *s, struct error *error) {
    return s->reference ? s->reference->enqueue(s->reference->context, error) : STATUS_OK;
}

static enum status sample_until_finished(struct sampling *s, struct error *error) {
    enum status status = run_reference(s, error);
    while (status == STATUS_OK && !finished(s)) {
        double round_ns;
        double clock_mhz = NAN;
        status = take_sample(s, &round_ns, error);
        if (status == STATUS_OK) {
            status = bench_device_clock(s->bench_device, &clock_mhz, error);
        }
        if (status == STATUS_OK) {
            status = run_reference(s, error);
        }
        if (status != STATUS_OK) {
            break;
        }
        if (clock_mhz < bench_device_throttled_mhz(s->bench_device)) {
            status = append(&s->throttled, round_ns, clock_mhz, error);
            nanosleep(&(struct timespec){.tv_nsec = THROTTLE_PAUSE_NS}, NULL);
        } else {
            status = append(&s->good, round_ns, clock_mhz, error);
            if (status == STATUS_OK) {
                update_noise(s, round_ns);
            }
        }
    }
    return status;
}

// Other programs take processors from the CPU backend's threads, which its samples alone may not show.
static enum status sample_and_watch(struct sampling *s, struct measurement *m, struct error *error) {
    const bool watched = device_is_cpu(&s->bench_device->device->info);
    const double waited_s = watched ? processor_wait_s() : NAN;
    s->started_s = clock_s();
    enum status status = sample_until_finished(s, error);
    if (watched) {
        m->waited_pct = 100 * (processor_wait_s() - waited_s) / (clock_s() - s->started_s);
    }
    return status;
}

// If most samples were throttled, they are used after all, and the verdict says so.
static enum status summarize(struct sampling *s, struct measurement *m, struct error *error) {
    enum status status = STATUS_OK;
    if (s->throttled.count > s->good.count) {
        m->verdicts |= VERDICT_THROTTLED;
        for (size_t i = 0; i < s->throttled.count && status == STATUS_OK; i++) {
            status = append(&s->good, s->throttled.time_ns[i], s->throttled.clock_mhz[i], error);
        }
    }
    if (status == STATUS_OK) {
        m->samples = s->good.count;
        m->time_ns = statistics_of(s->good.time_ns, s->good.count);
        m->clock_mhz = statistics_of(s->good.clock_mhz, s->good.count).median;
        m->verdicts |= 100 * m->time_ns.noise > s->settings->noise_pct ? VERDICT_NOISY : 0;
    }
    return status;
}

static enum status predict(struct sampling *s, struct measurement *m, struct error *error) {
    double round_ns = NAN;
    s->batch = 1;
    enum status status = take_sample(s, &round_ns, error);
    m->time_ns.median = m->time_ns.mean = round_ns;
    if (status == STATUS_OK && s->bench_device->device->operations->event_bound) {
        const struct launch_bound bound =
            s->bench_device->device->operations->event_bound(s->bench_device->start, s->bench_device->stop);
        m->bound_ns = bound.ns;
        m->bound_by = bound.by;
    }
    return status;
}

// The work runs once, and has no time.
static enum status count(const struct sampling *s, struct error *error) {
    counting_begin(s->settings->counting);
    enum status status = s->work->enqueue(s->work->context, error);
    counting_end(s->settings->counting);
    return status == STATUS_OK ? device_synchronize(s->bench_device->device, error) : status;
}

struct measurement measurement_empty(void) {
    return (struct measurement){
        .time_ns = {NAN, NAN, NAN, NAN, NAN, NAN, NAN}, .clock_mhz = NAN, .waited_pct = NAN, .bound_ns = NAN};
}

enum status measure(struct bench_device *bench_device, const struct settings *settings, const struct work *work,
                    struct measurement *m, struct error *error) {
    return measure_beside(bench_device, settings, work, NULL, m, error);
}

enum status measure_beside(struct bench_device *bench_device, const struct settings *settings, const struct work *work,
                           const struct work *reference, struct measurement *m, struct error *error) {
    struct sampling s = {.bench_device = bench_device, .settings = settings, .work = work, .reference = reference};
    *m = measurement_empty();
    if (bench_device->device->info.predicted) {
        return predict(&s, m, error);
    }
    if (settings->counting) {
        return count(&s, error);
    }
    const double called_s = clock_s();
    enum status status = warm_up(&s, error);
    if (status == STATUS_OK) {
        status = sample_and_watch(&s, m, error);
    }
    if (status == STATUS_OK) {
        status = summarize(&s, m, error);
    }
    samples_clear(&s.good);
    samples_clear(&s.throttled);
    bench_device->sampled_s += clock_s() - called_s;
    return status;
}

void row_set_time(struct row *row, const struct measurement *m) {
    row->samples = m->samples ? m->samples : ROW_NO_COUNT;
    row->time_ns_median = m->time_ns.median;
    row->time_ns_min = m->time_ns.min;
    row->time_ns_max = m->time_ns.max;
    row->time_ns_p25 = m->time_ns.lower_quartile;
    row->time_ns_p75 = m->time_ns.upper_quartile;
    row->noise_pct = 100 * m->time_ns.noise;
    row->clock_mhz = m->clock_mhz;
    row->waited_pct = m->waited_pct;
    if (isfinite(m->bound_ns)) {
        row_set_bound(row, m->bound_ns, resource_name(m->bound_by));
        row->predicted_ns = m->time_ns.median;
    }
}
