#include "bench/measure.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench/counters/launches.h"
#include "device/energy.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/statistics.h"

// ---- Time in which the thread waited for a processor ----

struct processor_watch {
    struct watched_thread *threads; // that the process had when the watch was opened
    size_t count;
    double began_ns;
    double before_ns; // the longest wait of a thread between the end of one period and the begin of the next
};

struct watched_thread {
    clockid_t clock; // of the time for which it ran
    int schedstat;   // the system's file about it
    double ran_ns, waited_ns;
};

// Linux numbers the clock of a thread after the thread (clock_getcpuclockid does so for processes). Unlike the file
// schedstat it includes the time since the thread began its turn.
static clockid_t clock_of_thread(int thread) {
    enum {
        OF_A_THREAD = 4,
        AS_THE_SCHEDULER_COUNTS = 2
    };
    return (clockid_t)(~(unsigned)thread << 3 | OF_A_THREAD | AS_THE_SCHEDULER_COUNTS);
}

static void read_thread(const struct watched_thread *thread, double *ran_ns, double *waited_ns) {
    struct timespec ran = {0};
    char text[100];
    const ssize_t length = pread(thread->schedstat, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    if (clock_gettime(thread->clock, &ran) != 0 || sscanf(text, "%*s %lf", waited_ns) != 1) { // the thread has ended
        *ran_ns = thread->ran_ns;
        *waited_ns = thread->waited_ns;
        return;
    }
    *ran_ns = (double)ran.tv_sec * 1e9 + (double)ran.tv_nsec;
}

// The longest times of a thread since the last call; blocked_ns stands for the longest that one ran or waited.
static struct processor_loss advance(struct processor_watch *watch) {
    struct processor_loss loss = {0};
    for (size_t i = 0; i < watch->count; i++) {
        struct watched_thread *thread = &watch->threads[i];
        double ran, waited;
        read_thread(thread, &ran, &waited);
        loss.ran_ns = fmax(loss.ran_ns, ran - thread->ran_ns);
        loss.waited_ns = fmax(loss.waited_ns, waited - thread->waited_ns);
        loss.blocked_ns = fmax(loss.blocked_ns, ran - thread->ran_ns + waited - thread->waited_ns);
        thread->ran_ns = ran;
        thread->waited_ns = waited;
    }
    return loss;
}

// Begins a period, and ends it.
static void processor_watch_begin(struct processor_watch *watch) {
    watch->before_ns = advance(watch).waited_ns;
    watch->began_ns = clock_ns();
}

static void add_thread(struct processor_watch *watch, const char *name) {
    char path[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", name);
    const int schedstat = open(path, O_RDONLY | O_CLOEXEC);
    if (schedstat >= 0) {
        watch->threads = memory_room(watch->threads, watch->count, sizeof *watch->threads);
        watch->threads[watch->count++] =
            (struct watched_thread){.clock = clock_of_thread(atoi(name)), .schedstat = schedstat};
    }
}

// Watches nothing if the system does not tell; then every loss is 0.
static void processor_watch_open(struct processor_watch *watch) {
    DIR *threads = opendir("/proc/self/task");
    *watch = (struct processor_watch){0};
    for (const struct dirent *thread; threads && (thread = readdir(threads));) {
        if (thread->d_name[0] != '.') {
            add_thread(watch, thread->d_name);
        }
    }
    if (threads) {
        closedir(threads);
    }
    processor_watch_begin(watch);
}

static void processor_watch_close(struct processor_watch *watch) {
    for (size_t i = 0; i < watch->count; i++) {
        close(watch->threads[i].schedstat);
    }
    free(watch->threads);
    *watch = (struct processor_watch){0};
}

static struct processor_loss processor_watch_end(struct processor_watch *watch) {
    const double passed_ns = clock_ns() - watch->began_ns;
    struct processor_loss loss = advance(watch);
    loss.blocked_ns = watch->count > 0 ? fmax(0, passed_ns - loss.blocked_ns) : 0;
    return loss;
}

// ---- Series ----

static const double WAITED_SHARE = 0.01; // of a sample's time, from which on it is left out
// Threads also sleep while they wait for each other. A sample in which all slept for longer than in the usual one, by
// this share of its time and this much, was stopped.
static const double STOPPED_SHARE = 0.02, STOPPED_NS = 0.5e6;

// Whether a thread waited, before or in the sample, for so long that its time is wrong.
static bool sample_waited(const struct sample *sample) {
    return sample->loss.waited_ns + sample->waited_before_ns > WAITED_SHARE * sample->sample_ns;
}

void series_add(struct series *series, const struct sample *sample) {
    series->samples = memory_room(series->samples, series->count, sizeof *series->samples);
    series->samples[series->count++] = *sample;
    series->throttled += sample->throttled;
    series->good += !sample->throttled && !sample_waited(sample);
}

void series_clear(struct series *series) {
    free(series->samples);
    *series = (struct series){0};
}

struct series *series_list_coming(struct series_list *list) {
    if (list->next == list->count) {
        list->series = memory_room(list->series, list->count, sizeof *list->series);
        list->series[list->count++] = (struct series){0};
    }
    return &list->series[list->next];
}

struct series *series_list_next(struct series_list *list) {
    struct series *series = series_list_coming(list);
    list->next++;
    return series;
}

void series_list_clear(struct series_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        series_clear(&list->series[i]);
    }
    free(list->series);
    *list = (struct series_list){0};
}

size_t series_list_samples(const struct series_list *list) {
    size_t sum = 0;
    for (size_t i = 0; i < list->count; i++) {
        sum += list->series[i].count;
    }
    return sum;
}

// The share of a sample's time in which even the busiest thread slept, of the usual sample. Needs room for all of them.
static double usual_sleep(const struct series *series, double *shares) {
    for (size_t i = 0; i < series->count; i++) {
        shares[i] = series->samples[i].loss.blocked_ns / series->samples[i].sample_ns;
    }
    qsort(shares, series->count, sizeof *shares, by_value);
    return shares[(series->count - 1) / 2];
}

static double stopped_ns(const struct sample *sample, double usual) {
    const double longer_ns = sample->loss.blocked_ns - usual * sample->sample_ns;
    return longer_ns > STOPPED_SHARE * sample->sample_ns + STOPPED_NS ? longer_ns : 0;
}

static bool disturbed(const struct sample *sample, double usual) {
    return sample_waited(sample) || stopped_ns(sample, usual) > 0;
}

static double lost_ns(const struct sample *sample, double usual) {
    const double most = fmax(0, sample->sample_ns - sample->loss.ran_ns); // the busiest thread's time is no loss
    return fmin(sample->loss.waited_ns + stopped_ns(sample, usual), most);
}

static double share_lost(const struct sample *sample, double usual) {
    return lost_ns(sample, usual) / sample->sample_ns;
}

// The choice of samples that a summary uses.
struct choice {
    bool throttled;   // these, too
    bool disturbed;   // these, too, without the time that was lost
    double most_lost; // of these, those that lost at most this share of their time
    double usual;
};

static bool chosen(const struct choice *choice, const struct sample *sample) {
    if (sample->throttled && !choice->throttled) {
        return false;
    }
    return choice->disturbed ? share_lost(sample, choice->usual) <= choice->most_lost
                             : !disturbed(sample, choice->usual);
}

static size_t count_chosen(const struct choice *choice, const struct series *series) {
    size_t count = 0;
    for (size_t i = 0; i < series->count; i++) {
        count += chosen(choice, &series->samples[i]);
    }
    return count;
}

// The share of their time that the `wanted` best of the samples that may be chosen lost at most; 1 if there are no
// more.
static double lost_by_best(const struct series *series, const struct choice *choice, size_t wanted, double *shares) {
    size_t count = 0;
    for (size_t i = 0; i < series->count; i++) {
        const struct sample *sample = &series->samples[i];
        if (!sample->throttled || choice->throttled) {
            shares[count++] = share_lost(sample, choice->usual);
        }
    }
    qsort(shares, count, sizeof *shares, by_value);
    return wanted < count ? shares[wanted - 1] : 1;
}

static struct choice choose(const struct series *series, size_t wanted, double *scratch) {
    struct choice choice = {
        .throttled = 2 * series->throttled > series->count,
        .most_lost = 1,
        .usual = usual_sleep(series, scratch),
    };
    const size_t calm = count_chosen(&choice, series);
    if (wanted > 0 && calm < wanted) {
        choice.disturbed = true;
        choice.most_lost = lost_by_best(series, &choice, wanted, scratch);
    } else if (wanted == 0 && calm < INTERVAL_SAMPLES_MIN) {
        choice.disturbed = true;
        choice.disturbed = 2 * calm < count_chosen(&choice, series);
    }
    return choice;
}

static void fill_summary(struct measurement *summary, const struct choice *choice, const struct series *series,
                         size_t most, double *times_ns, double *clocks_mhz) {
    double all_lost_ns = 0, passed_ns = 0;
    for (size_t i = 0; i < series->count && summary->samples < most; i++) {
        const struct sample *sample = &series->samples[i];
        if (!chosen(choice, sample)) {
            continue;
        }
        const double lost = lost_ns(sample, choice->usual);
        const double kept = choice->disturbed ? 1 - lost / sample->sample_ns : 1;
        clocks_mhz[summary->samples] = sample->clock_mhz;
        times_ns[summary->samples++] = sample->round_ns * kept;
        all_lost_ns += lost;
        passed_ns += sample->sample_ns;
    }
    summary->dropped = series->count - summary->samples;
    summary->verdicts = choice->throttled ? VERDICT_THROTTLED : 0;
    summary->waited_pct = 100 * all_lost_ns / passed_ns;
    summary->time_ns = statistics_of(times_ns, summary->samples);
    summary->clock_mhz = statistics_of(clocks_mhz, summary->samples).median;
}

struct measurement series_summarize(const struct series *series, size_t wanted) {
    struct measurement summary = measurement_empty();
    double *values = memory_zeros(2 * series->count, sizeof *values);
    const struct choice choice = choose(series, wanted, values);
    fill_summary(&summary, &choice, series, wanted > 0 ? wanted : series->count, values, values + series->count);
    free(values);
    return summary;
}

// ---- Measurement ----

enum {
    SAMPLES_MIN = 10,
    SAMPLES_LONG = 12,
    SAMPLES_HOPELESS = 40,            // so many bad samples, ...
    HOPELESS_RATIO = 3,               // ... this many times the good ones, and no more are tried
    LOOK_SHARE = 8,                   // the interval is recomputed after an eighth more samples
    THROTTLE_PAUSE_NS = 50 * 1000000, // for a device that is too hot to recover
};
static const double SAMPLE_NS = 1e6;       // the shortest sample: 1000 times the resolution of a GPU's event clock
static const double LONG_SAMPLE_NS = 20e6; // with time for SAMPLES_LONG of them: timer ticks then hit all samples alike
static const double BATCH_MAX = 1 << 20;

struct sampling {
    struct bench_device *bench_device;
    const struct settings *settings;
    const struct work *work, *reference; // reference: NULL if there is none
    struct series *series;
    struct processor_watch watch; // of the CPU's threads; not open for other devices
    size_t before;                // samples of earlier rounds
    double queue_ns;              // that the host took to queue a round of the latest sample; 0: there is none
    double started_s;
    size_t next_look; // with so many good samples the interval is computed
    bool narrow;      // the interval was narrow enough then
};

// Keeps a GPU busy for as long as the host takes to queue the sample, so that no launch in it waits for the host. It is
// not held where other streams run beside it, because they would get ahead.
static enum status hold(const struct sampling *s, struct error *error) {
    return s->reference || s->settings->host_has_part
               ? STATUS_OK
               : bench_device_hold(s->bench_device, (double)s->series->batch * s->queue_ns, error);
}

static enum status run_rounds(struct sampling *s, struct error *error) {
    struct device *device = s->bench_device->device;
    const double began_ns = clock_ns();
    enum status status = device_event_record(device, s->bench_device->start, error);
    for (uint64_t i = 0; i < s->series->batch && status == STATUS_OK; i++) {
        status = s->work->enqueue(s->work->context, error);
    }
    THEN(status, device_event_record(device, s->bench_device->stop, error));
    s->queue_ns = (clock_ns() - began_ns) / (double)s->series->batch;
    return status == STATUS_OK ? device_synchronize(device, error) : status;
}

static enum status take_sample(struct sampling *s, struct sample *sample, struct error *error) {
    struct device *device = s->bench_device->device;
    enum status status = STATUS_OK;
    *sample = (struct sample){.clock_mhz = NAN};
    if (s->settings->cold) {
        status = bench_device_flush(s->bench_device, error);
    }
    THEN(status, hold(s, error));
    processor_watch_begin(&s->watch);
    THEN(status, run_rounds(s, error));
    sample->waited_before_ns = s->watch.before_ns;
    sample->loss = processor_watch_end(&s->watch);
    if (status == STATUS_OK) {
        status = device_event_elapsed(device, s->bench_device->start, s->bench_device->stop, &sample->sample_ns, error);
        sample->round_ns = sample->sample_ns / (double)s->series->batch;
    }
    return status;
}

static double least_sample_ns(const struct sampling *s) {
    if (!device_is_cpu(&s->bench_device->device->info) && !s->settings->long_samples) {
        return SAMPLE_NS;
    }
    return fmax(SAMPLE_NS, fmin(LONG_SAMPLE_NS, s->settings->max_time_s * 1e9 / (double)SAMPLES_LONG));
}

// While a driver clears memory in the background, the device stays busy with samples that do not count, because one
// that rested would begin more slowly.
static enum status run_until_quiet(struct sampling *s, struct error *error) {
    struct sample sample;
    const uint64_t batch = s->series->batch;
    s->series->batch = batch > 0 ? batch : 1;
    while (clock_s() < s->bench_device->device->quiet_s) {
        TRY(take_sample(s, &sample, error));
    }
    s->series->batch = batch;
    return STATUS_OK;
}

// Finds how many rounds make a sample long enough. A cold sample has one round, because the next would find its data
// cached.
static enum status warm_up(struct sampling *s, struct error *error) {
    struct sample sample;
    TRY(run_until_quiet(s, error));
    if (s->series->batch > 0) { // found in an earlier round
        return take_sample(s, &sample, error);
    }
    s->series->batch = 1;
    TRY(take_sample(s, &sample, error));
    while (!s->settings->cold && !s->settings->one_round &&
           sample.sample_ns - sample.loss.waited_ns < least_sample_ns(s) && (double)s->series->batch < BATCH_MAX) {
        s->series->batch *= 2;
        TRY(take_sample(s, &sample, error));
    }
    return STATUS_OK;
}

// Looks seldom, so that sorting takes little of the time and the interval gets few chances to be narrow by accident.
static void look(struct sampling *s) {
    if (s->series->good >= s->next_look) {
        const struct measurement so_far = series_summarize(s->series, s->settings->samples);
        s->narrow = statistics_interval_pct(&so_far.time_ns) <= s->settings->noise_pct;
        s->next_look = s->series->good + 1 + s->series->good / LOOK_SHARE;
    }
}

static bool finished(const struct sampling *s) {
    const struct series *series = s->series;
    const size_t bad = series->count - series->good;
    const double elapsed = clock_s() - s->started_s;
    const bool throttled = series->throttled >= SAMPLES_MIN && series->throttled > series->good;
    const bool disturbed = bad >= SAMPLES_HOPELESS && bad > HOPELESS_RATIO * series->good;
    if (throttled || (disturbed && elapsed >= s->settings->min_time_s)) {
        return true; // it will not recover
    }
    if (s->settings->samples > 0) {
        return series->good >= s->settings->samples || series->count >= 2 * s->settings->samples + SAMPLES_MIN;
    }
    if (s->settings->more > 0 && series->count - s->before >= s->settings->more && elapsed >= s->settings->min_time_s) {
        return true;
    }
    if (s->settings->limit_s > 0 && elapsed >= s->settings->limit_s && series->count > s->before) {
        return true;
    }
    if (elapsed >= s->settings->max_time_s && series->count >= SAMPLES_MIN) {
        return true;
    }
    return s->narrow && elapsed >= s->settings->min_time_s;
}

static enum status run_reference(const struct sampling *s, struct error *error) {
    return s->reference ? s->reference->enqueue(s->reference->context, error) : STATUS_OK;
}

// A sample that a wait delayed is followed by a shorter one, which fits between the turns of another program.
static void shorten(struct sampling *s, const struct sample *sample) {
    if (sample_waited(sample) && sample->sample_ns >= 2 * SAMPLE_NS && s->series->batch > 1) {
        s->series->batch /= 2;
    }
}

static enum status add_sample(struct sampling *s, struct error *error) {
    struct sample sample;
    TRY(take_sample(s, &sample, error));
    TRY(bench_device_clock(s->bench_device, &sample.clock_mhz, error));
    TRY(run_reference(s, error));
    sample.throttled = sample.clock_mhz < bench_device_throttled_mhz(s->bench_device);
    series_add(s->series, &sample);
    if (sample.throttled) {
        nanosleep(&(struct timespec){.tv_nsec = THROTTLE_PAUSE_NS}, NULL);
    }
    shorten(s, &sample);
    look(s);
    return STATUS_OK;
}

static enum status sample_until_finished(struct sampling *s, struct error *error) {
    enum status status = run_reference(s, error);
    s->started_s = clock_s();
    while (status == STATUS_OK && !finished(s)) {
        status = add_sample(s, error);
    }
    return status;
}

// Other programs take processors from the CPU backend's threads. Some of these begin when the work first runs.
static enum status sample_and_watch(struct sampling *s, struct error *error) {
    const bool watched = device_is_cpu(&s->bench_device->device->info);
    if (watched) {
        processor_watch_open(&s->watch);
    }
    enum status status = warm_up(s, error);
    if (watched) {
        processor_watch_close(&s->watch);
        processor_watch_open(&s->watch);
    }
    THEN(status, sample_until_finished(s, error));
    processor_watch_close(&s->watch);
    return status;
}

static void summarize(const struct sampling *s, struct measurement *m) {
    *m = series_summarize(s->series, s->settings->samples);
    m->waited_pct = device_is_cpu(&s->bench_device->device->info) ? m->waited_pct : NAN;
    m->verdicts |= verdicts_of_time(&m->time_ns, s->settings->noise_pct) |
                   (m->waited_pct > VERDICT_WAITED_PCT ? VERDICT_WAITED : 0u);
}

// Later rounds of the point have what its first counted.
static enum status count_joules(const struct sampling *s, struct measurement *m, struct error *error) {
    struct energy *energy = &s->series->energy;
    if (s->settings->energy && energy->rounds == 0) {
        TRY(energy_measure(s->bench_device->device, s->work->enqueue, s->work->context, m->time_ns.median, energy,
                           error));
    }
    m->energy = *energy;
    return STATUS_OK;
}

static enum status predict(struct device *device, const struct work *work, struct measurement *m, struct error *error) {
    device_predict_begin(device);
    TRY(work->enqueue(work->context, error));
    TRY(device_synchronize(device, error));
    m->predicted = device_predict_end(device);
    m->time_ns.median = m->time_ns.mean = m->predicted.ns;
    return STATUS_OK;
}

// The work runs once, and has no time.
static enum status count(const struct sampling *s, struct error *error) {
    counting_begin(s->settings->counting);
    enum status status = s->work->enqueue(s->work->context, error);
    counting_end(s->settings->counting);
    return status == STATUS_OK ? device_synchronize(s->bench_device->device, error) : status;
}

struct measurement measurement_empty(void) {
    return (struct measurement){.time_ns = statistics_unknown(),
                                .clock_mhz = NAN,
                                .waited_pct = NAN,
                                .predicted = {.ns = NAN},
                                .verification = VERIFICATION_NONE};
}

enum status measure(struct bench_device *bench_device, const struct settings *settings, const struct work *work,
                    struct measurement *m, struct error *error) {
    return measure_beside(bench_device, settings, work, NULL, m, error);
}

enum status measure_beside(struct bench_device *bench_device, const struct settings *settings, const struct work *work,
                           const struct work *reference, struct measurement *m, struct error *error) {
    *m = measurement_empty();
    if (bench_device->device->info.predicted) {
        return predict(bench_device->device, work, m, error);
    }
    const bool keeps = settings->kept && !settings->counting;
    struct series own = {0}, *series = keeps ? series_list_next(settings->kept) : &own;
    struct sampling s = {.bench_device = bench_device,
                         .settings = settings,
                         .work = work,
                         .reference = reference,
                         .series = series,
                         .before = series->count,
                         .next_look = series->good < SAMPLES_MIN ? SAMPLES_MIN : series->good + 1};
    if (settings->counting) {
        return count(&s, error);
    }
    const double called_s = clock_s();
    enum status status = sample_and_watch(&s, error);
    if (status == STATUS_OK) {
        summarize(&s, m);
        status = count_joules(&s, m, error);
    }
    series_clear(&own);
    bench_device->sampled_s += clock_s() - called_s;
    return status;
}

struct settings measure_aside(const struct settings *settings) {
    struct settings aside = *settings;
    aside.kept = NULL;
    aside.energy = false;
    return aside;
}

void row_set_time(struct row *row, const struct measurement *m) {
    row->samples = m->samples ? m->samples : ROW_NO_COUNT;
    row->time_ns_median = m->time_ns.median;
    row->time_ns_min = m->time_ns.min;
    row->time_ns_max = m->time_ns.max;
    row->time_ns_low = m->time_ns.interval.low;
    row->time_ns_high = m->time_ns.interval.high;
    row->interval_pct = statistics_interval_pct(&m->time_ns);
    row->time_ns_p25 = m->time_ns.lower_quartile;
    row->time_ns_p75 = m->time_ns.upper_quartile;
    row->noise_pct = 100 * m->time_ns.noise;
    row->effective_samples = m->time_ns.effective;
    row->drift_pct = 100 * m->time_ns.drift;
    row->modes_pct = 100 * m->time_ns.modes;
    row->clock_mhz = m->clock_mhz;
    row->waited_pct = m->waited_pct;
    if (m->energy.rounds > 0) {
        row->joules = m->energy.joules / (double)m->energy.rounds;
        row->watts = m->energy.joules / m->energy.seconds;
        row->energy_step_ms = 1e3 * m->energy.seconds / (double)m->energy.steps;
        row->energy_error_pct = 100 * m->energy.batch_s / m->energy.seconds;
        if (m->energy.tells_reasons) {
            throttle_reasons_format(row->throttle_reasons, sizeof row->throttle_reasons, m->energy.reasons);
        }
    }
    row->samples_dropped = m->samples ? m->dropped : ROW_NO_COUNT;
    if (isfinite(m->predicted.ns)) {
        row_set_bound(row, m->predicted.bound.ns, resource_name(m->predicted.bound.by));
        row->predicted_ns = m->predicted.ns;
    }
}
