#include "tools/judge/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/statistics.h"

struct heat heat_make(size_t gpu_count) {
    return (struct heat){.cells = memory_zeros(gpu_count * HEAT_COLUMNS_MAX, sizeof(struct heat_cell))};
}

void heat_clear(struct heat *heat) {
    names_clear(&heat->columns);
    free(heat->cells);
    *heat = (struct heat){0};
}

// A row's name begins with its probe and variant, and goes on with a comma.
static size_t column_of(struct heat *heat, const char *name) {
    char *variant = memory_text(name, strcspn(name, ","));
    const bool has_room = heat->columns.count < HEAT_COLUMNS_MAX;
    const size_t column = has_room ? names_number(&heat->columns, variant) : names_find(&heat->columns, variant);
    free(variant);
    return column;
}

static double distance(double cost, double median) {
    return fabs(log(cost / median));
}

// Keeps the row if it is farther from the median than what the GPU's cell has.
static void heat_add(struct heat *heat, const struct group *group, const struct record *record, double median) {
    const size_t column = column_of(heat, group->name);
    if (column == HEAT_COLUMNS_MAX) {
        return;
    }
    struct heat_cell *cell = &heat->cells[record->gpu * (size_t)HEAT_COLUMNS_MAX + column];
    if (!cell->name || distance(record->cost, median) > distance(cell->cost, cell->median)) {
        *cell = (struct heat_cell){group->name, record->cost, median, group->figure};
    }
}

static const double LEAST_SPREAD = 0.002; // of the median: equal times of three GPUs do not mean that the next is equal
static const double OF_NORMAL = 1.4826;   // a normal distribution's deviation over its median absolute deviation

// The normal distribution's upper quantile at a small p: Abramowitz and Stegun, 26.2.23, to 0.00045.
static double upper_quantile(double p) {
    const double t = sqrt(-2 * log(p));
    return t -
           (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
}

void verdict_set_rows(struct verdict *verdict, uint64_t rows) {
    verdict->rows = rows;
    verdict->deviations = rows ? upper_quantile(1.0 / (double)VERDICT_FLEETS_PER_ALARM / (double)rows / 2) : 0;
}

// ---- Statistics ----

struct middle {
    double value, spread;
};

// The values are lost.
static struct middle middle_of(double *values, size_t count) {
    struct middle middle = {.value = sort_to_median(values, count)};
    for (size_t i = 0; i < count; i++) {
        values[i] = fabs(values[i] - middle.value);
    }
    middle.spread = fmax(OF_NORMAL * sort_to_median(values, count), LEAST_SPREAD * middle.value);
    return middle;
}

// ---- Rows that stand out ----

static void set_worst(struct fleet_gpu *gpu, double times, char *text) {
    gpu->stands_out++;
    if (times > gpu->worst) {
        gpu->worst = times;
        free(gpu->worst_text);
        gpu->worst_text = text;
    } else {
        free(text);
    }
}

// "610 GB/s, 8.4 % below AGAINST": what a row measured, as bandwidth where it is one, and how it differs.
static void stand_out(struct verdict *verdict, const struct group *group, const struct record *record,
                      struct middle expected, const char *against) {
    const double longer = record->cost / expected.value;
    const struct figure_kind *figure = &figure_kinds[group->figure];
    const double more = figure->less_is_faster ? longer - 1 : 1 / longer - 1;
    verdict->outliers = memory_room(verdict->outliers, verdict->count, sizeof *verdict->outliers);
    verdict->outliers[verdict->count++] = (struct outlier){.gpu = record->gpu,
                                                           .name = group->name,
                                                           .figure = group->figure,
                                                           .cost = record->cost,
                                                           .expected = expected.value,
                                                           .spread = expected.spread / expected.value};
    set_worst(&verdict->fleet->gpus[record->gpu], fmax(longer, 1 / longer),
              memory_format("%s: %.4g %s, %.1f %% %s %s", group->name, store_value(group->figure, record->cost),
                            figure->unit, 100 * fabs(more), more < 0 ? "below" : "above", against));
}

// The records of this fleet first; returns their number.
static size_t part_earlier(const struct record *records, size_t count, struct record *parted) {
    size_t now = 0, end = count;
    for (size_t i = 0; i < count; i++) {
        parted[records[i].earlier ? --end : now++] = records[i];
    }
    return now;
}

// How much longer the other GPUs of its node take than the median; NaN: there are none.
static double neighbours(const struct verdict *verdict, const struct record *records, size_t count, size_t own,
                         double median, size_t *others, double *values) {
    const char *host = verdict->fleet->gpus[records[own].gpu].host;
    *others = 0;
    for (size_t i = 0; i < count; i++) {
        if (i != own && strcmp(verdict->fleet->gpus[records[i].gpu].host, host) == 0) {
            values[(*others)++] = records[i].cost;
        }
    }
    return *others ? sort_to_median(values, *others) / median - 1 : NAN;
}

static void judge_by_median(struct verdict *verdict, const struct group *group, const struct record *records,
                            size_t count, double *values) {
    if (count < VERDICT_TOO_FEW) {
        for (size_t i = 0; i < count; i++) {
            verdict->fleet->gpus[records[i].gpu].has_few = true;
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = records[i].cost;
    }
    const struct middle middle = middle_of(values, count);
    const double limit = fmax(verdict->deviations * middle.spread, verdict->threshold * middle.value);
    for (size_t i = 0; i < count; i++) {
        if (verdict->heat) {
            heat_add(verdict->heat, group, &records[i], middle.value);
        }
        if (fabs(records[i].cost - middle.value) > limit) {
            size_t others;
            const double longer = neighbours(verdict, records, count, i, middle.value, &others, values);
            char *against = others ? memory_format("the median of %zu, where its %zu neighbours take %+.1f %%", count,
                                                   others, 100 * longer)
                                   : memory_format("the median of %zu", count);
            stand_out(verdict, group, &records[i], middle, against);
            free(against);
        }
    }
}

static void judge_by_reference(struct verdict *verdict, const struct group *group, const struct record *records,
                               size_t count) {
    for (size_t i = 0; i < count && group->reference > 0; i++) {
        verdict->compared++;
        if (records[i].cost > group->reference * (1 + verdict->threshold)) {
            stand_out(verdict, group, &records[i], (struct middle){group->reference, 0}, "the reference");
        }
    }
}

// A GPU beside itself. What changed for most GPUs, such as a driver, is no fault of one.
static void judge_by_itself(struct verdict *verdict, const struct group *group, const struct record *records,
                            size_t count, const struct record *earlier, size_t earlier_count, double *values) {
    double *before = memory_zeros(verdict->fleet->count, sizeof *before); // by GPU; 0: it was not there
    size_t both = 0;
    for (size_t i = 0; i < earlier_count; i++) {
        before[earlier[i].gpu] = earlier[i].cost;
    }
    for (size_t i = 0; i < count; i++) {
        if (before[records[i].gpu] > 0) {
            values[both++] = records[i].cost / before[records[i].gpu];
        }
    }
    verdict->compared += both;
    const struct middle change = both >= VERDICT_TOO_FEW ? middle_of(values, both) : (struct middle){1, 0};
    const double limit = fmax(verdict->deviations * change.spread, verdict->threshold);
    for (size_t i = 0; i < count; i++) {
        const double own = before[records[i].gpu];
        if (own > 0 && records[i].cost / own > change.value + limit) {
            char *against = memory_format("itself in %s, where all GPUs changed by %+.1f %%", verdict->before,
                                          100 * (change.value - 1));
            stand_out(verdict, group, &records[i], (struct middle){own, own * change.spread}, against);
            free(against);
        }
    }
    free(before);
}

void verdict_judge(void *context, const struct group *group, const struct record *records, size_t count) {
    struct verdict *verdict = context;
    struct record *parted = memory_zeros(count, sizeof *parted);
    double *values = memory_zeros(count, sizeof *values);
    const size_t now = part_earlier(records, count, parted);
    judge_by_median(verdict, group, parted, now, values);
    judge_by_reference(verdict, group, parted, now);
    if (verdict->before) {
        judge_by_itself(verdict, group, parted, now, parted + now, count - now, values);
    }
    free(values);
    free(parted);
}

// ---- GPUs ----

const char *verdict_common_model(const struct fleet *fleet) {
    size_t with_model = 0, most = 0;
    const char *common = NULL;
    for (size_t i = 0; i < fleet->count; i++) {
        size_t alike = 0;
        with_model += fleet->gpus[i].model != NULL;
        for (size_t k = 0; fleet->gpus[i].model && k < fleet->count; k++) {
            alike += fleet->gpus[k].model && strcmp(fleet->gpus[k].model, fleet->gpus[i].model) == 0;
        }
        if (alike > most) {
            most = alike;
            common = fleet->gpus[i].model;
        }
    }
    return 4 * most >= 3 * with_model && most < with_model ? common : NULL;
}

char *verdict_of(const struct fleet_gpu *gpu, const char *common) {
    char *text = gpu->faults ? memory_copy(gpu->faults) : NULL;
    if (common && gpu->model && strcmp(gpu->model, common) != 0) {
        text = text_join(text, "; ", memory_format("another model: %s, where most are %s", gpu->model, common));
    }
    if (gpu->stands_out > 1) {
        text = text_join(text, "; ", memory_format("%s, and %u more rows", gpu->worst_text, gpu->stands_out - 1));
    } else if (gpu->stands_out) {
        text = text_join(text, "; ", memory_copy(gpu->worst_text));
    }
    return !text && !gpu->model && gpu->name ? memory_copy("no row") : text;
}
