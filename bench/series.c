#include "bench/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

static const double WAITED_SHARE = 0.01; // of a sample's time, from which on it is left out
// Threads also sleep while they wait for each other. A sample in which all slept for longer than in the usual one, by
// this share of its time and this much, was stopped.
static const double STOPPED_SHARE = 0.02, STOPPED_NS = 0.5e6;

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

struct series *series_list_next(struct series_list *list) {
    if (list->next == list->count) {
        list->series = memory_room(list->series, list->count, sizeof *list->series);
        list->series[list->count++] = (struct series){0};
    }
    return &list->series[list->next++];
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

bool sample_waited(const struct sample *sample) {
    return sample->loss.waited_ns + sample->waited_before_ns > WAITED_SHARE * sample->sample_ns;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The share of a sample's time in which even the busiest thread slept, of the usual sample. Needs room for all of them.
static double usual_sleep(const struct series *series, double *shares) {
    for (size_t i = 0; i < series->count; i++) {
        shares[i] = series->samples[i].loss.blocked_ns / series->samples[i].sample_ns;
    }
    qsort(shares, series->count, sizeof *shares, ascending);
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
    qsort(shares, count, sizeof *shares, ascending);
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

static void fill_summary(struct series_summary *summary, const struct choice *choice, const struct series *series,
                         size_t most, double *times_ns, double *clocks_mhz) {
    double all_lost_ns = 0, passed_ns = 0;
    for (size_t i = 0; i < series->count && summary->used < most; i++) {
        const struct sample *sample = &series->samples[i];
        if (!chosen(choice, sample)) {
            continue;
        }
        const double lost = lost_ns(sample, choice->usual);
        const double kept = choice->disturbed ? 1 - lost / sample->sample_ns : 1;
        clocks_mhz[summary->used] = sample->clock_mhz;
        times_ns[summary->used++] = sample->round_ns * kept;
        all_lost_ns += lost;
        passed_ns += sample->sample_ns;
    }
    summary->dropped = series->count - summary->used;
    summary->throttled = choice->throttled;
    summary->waited_pct = 100 * all_lost_ns / passed_ns;
    summary->time_ns = statistics_of(times_ns, summary->used);
    summary->clock_mhz = statistics_of(clocks_mhz, summary->used).median;
}

struct series_summary series_summarize(const struct series *series, size_t wanted) {
    struct series_summary summary = {0};
    double *values = memory_zeros(2 * series->count, sizeof *values);
    const struct choice choice = choose(series, wanted, values);
    fill_summary(&summary, &choice, series, wanted > 0 ? wanted : series->count, values, values + series->count);
    free(values);
    return summary;
}
