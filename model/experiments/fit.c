// make fit: finds the constants of the model of time (model/time/time_constants.h) again. Counts do not depend on them,
// so the simulator counts each launch once, and its work is predicted again for each value that is tried.
//   fit ROWS                what compass search finds, from the constants as they are; status 1 if these are other ones
//   fit --errors ROWS       the errors of each probe, by machine
//   fit --variants ROWS     of each variant
//   fit --ablation ROWS     the same with each constant taken out
// ROWS has a line for each measured row (model/experiments/fit.sh). The rows of one machine are fitted, all others are
// held out.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpus.h"
#include "model/time/drift.h"
#include "model/time/time.h"
#include "model/time/time_constants.h"
#include "model/work_record.h"
#include "util/error.h"
#include "util/statistics.h"

static const char FITTED[] = "h200";
static const double LEAST_GAIN = 0.005; // of the objective, in per cent of the measured times: less says nothing

enum {
    NAME = 64,
    PATH = 1024,
    DIGITS = 3,
};

// The launches and spans of one run of a probe.
struct work_file {
    char path[PATH];
    struct launch_record *launches;
    struct span_record *spans;
    size_t *first;                         // launch of each span
    size_t launch_count, span_count, next; // next: the span after the last one that a row was found for
};

struct row {
    char machine[NAME], probe[NAME], variant[NAME];
    double measured_ns, bound_ns;
    double rounds; // of apsp, each with two events around it; 0: others
    const struct work_file *file;
    const struct span_record *span;
    double more; // of smem: how often the next span's further time is added, because fewer turns are simulated
    double error_pct;
};

// Rows of one variant of one probe on one machine.
struct group {
    const char *machine, *probe, *variant;
    size_t count;
    double median, ninetieth;
};

struct rows {
    struct row *row;
    size_t count;
    struct work_file *files;
    size_t file_count;
};

static void fail(const char *what, const char *of) {
    fprintf(stderr, "fit: %s: %s\n", of, what);
    exit(1);
}

// ---- The work of the rows ----

static void read_exactly(void *to, size_t bytes, FILE *file, const char *path) {
    if (fread(to, 1, bytes, file) != bytes) {
        fail("a record is incomplete: simulate the rows again", path);
    }
}

static void read_launch(struct work_file *work, FILE *file) {
    work->launches = memory_room(work->launches, work->launch_count, sizeof *work->launches);
    struct launch_record *launch = &work->launches[work->launch_count++];
    read_exactly(launch, sizeof *launch, file, work->path);
    const size_t bytes = launch->work.interval_count * sizeof *launch->work.intervals;
    struct launch_interval *intervals = memory_zeros(1, bytes);
    read_exactly(intervals, bytes, file, work->path);
    launch->work.intervals = intervals;
}

static void read_span(struct work_file *work, FILE *file) {
    work->spans = memory_room(work->spans, work->span_count, sizeof *work->spans);
    struct span_record *span = &work->spans[work->span_count++];
    read_exactly(span, sizeof *span, file, work->path);
    work->first = memory_room(work->first, work->span_count - 1, sizeof *work->first);
    work->first[work->span_count - 1] = work->launch_count - span->launches;
    if (span->launches > work->launch_count) {
        fail("a span has launches that are not there: simulate the rows again", work->path);
    }
}

static void read_work(struct work_file *work) {
    FILE *file = fopen(work->path, "rb");
    enum work_record_kind kind;
    if (!file) {
        fail("cannot be opened", work->path);
    }
    while (fread(&kind, sizeof kind, 1, file) == 1) {
        (kind == WORK_OF_LAUNCH ? read_launch : read_span)(work, file);
    }
    fclose(file);
}

static struct work_file *file_of(struct rows *rows, const char *path) {
    for (size_t i = 0; i < rows->file_count; i++) {
        if (strcmp(rows->files[i].path, path) == 0) {
            return &rows->files[i];
        }
    }
    struct work_file *work = &rows->files[rows->file_count++];
    snprintf(work->path, sizeof work->path, "%s", path);
    read_work(work);
    return work;
}

// ---- What takes long: the linker calls these in place of the model's functions (--wrap) ----

struct returns {
    double footprint, irregularity, missed;
    bool halves;
};

static struct {
    struct returns *returns;
    size_t returns_count;
    bool followed; // a footprint was followed load by load, for which no fitted constant matters much
} asked;

double __real_returns_missed(double footprint, bool halves, double irregularity);
double __wrap_returns_missed(double footprint, bool halves, double irregularity);
double __wrap_drift_clocks(const struct drift *drift);

double __wrap_returns_missed(double footprint, bool halves, double irregularity) {
    for (size_t i = 0; i < asked.returns_count; i++) {
        const struct returns *r = &asked.returns[i];
        if (r->halves == halves && r->footprint == footprint && r->irregularity == irregularity) {
            return r->missed;
        }
    }
    const double missed = __real_returns_missed(footprint, halves, irregularity);
    asked.returns = memory_room(asked.returns, asked.returns_count, sizeof *asked.returns);
    asked.returns[asked.returns_count++] = (struct returns){footprint, irregularity, missed, halves};
    return missed;
}

double __wrap_drift_clocks(const struct drift *drift) {
    (void)drift;
    asked.followed = true;
    return 1;
}

// ---- Predictions ----

static double launch_ns(const struct launch_record *launch) {
    const struct gpu *gpu = gpu_find(launch->gpu);
    const double cycled_ns = footprint_ns(gpu, &launch->work, launch->cycle, NULL);
    return fmax(isnan(cycled_ns) ? launch_time(gpu, &launch->work).ns : cycled_ns, launch->bound_ns);
}

static double span_ns(const struct work_file *work, const struct span_record *span) {
    double ns = span->other_ns + span->fills * time_constants.fill_ns;
    asked.followed = false;
    const size_t first = work->first[span - work->spans];
    for (size_t i = first; i < first + span->launches; i++) {
        ns += launch_ns(&work->launches[i]);
    }
    return asked.followed ? span->predicted_ns : ns;
}

// Of a row whose span takes so long, and the one after it.
static double row_ns(const struct row *row, double of_span, double of_next) {
    return row->rounds > 0 ? row->rounds * (fmax(of_span, row->bound_ns / row->rounds) + time_constants.events_ns)
                           : of_span + row->more * (of_next - of_span);
}

static double predicted_ns(const struct row *row) {
    return row_ns(row, span_ns(row->file, row->span), row->more > 0 ? span_ns(row->file, row->span + 1) : 0);
}

// Finds the span of which the row is the prediction, or the two of row `number` of its file.
static bool find_span(struct work_file *work, struct row *row, double ns, size_t number) {
    for (size_t i = 0; i < work->span_count; i++) {
        const size_t at = (work->next + i) % work->span_count;
        if (fabs(row_ns(row, work->spans[at].predicted_ns, 0) - ns) <= 0.06 + 1e-9 * ns) {
            work->next = at + 1;
            row->span = &work->spans[at];
            return true;
        }
    }
    if (strcmp(row->probe, "smem") != 0 || 2 * number + 1 >= work->span_count) {
        return false;
    }
    row->span = &work->spans[2 * number];
    row->more = (ns - row->span[0].predicted_ns) / (row->span[1].predicted_ns - row->span[0].predicted_ns);
    return row->more > 0;
}

// A footprint's time follows from constants of its own alone; what is followed load by load, from none.
static bool depends(const struct row *row, const char *constant) {
    const bool footprint = strcmp(row->probe, "levels") == 0;
    return strcmp(constant, "") == 0 || footprint == (strncmp(constant, "cycled_", 7) == 0);
}

// ---- Errors ----

static bool is_in(const struct row *row, const struct group *group) {
    return strcmp(row->machine, group->machine) == 0 && strcmp(row->probe, group->probe) == 0 &&
           (!group->variant || strcmp(row->variant, group->variant) == 0);
}

// As scripts/validate.sh has them.
static void measure_group(const struct rows *rows, struct group *group) {
    double *errors = memory_zeros(rows->count, sizeof *errors);
    group->count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (is_in(&rows->row[i], group)) {
            errors[group->count++] = fabs(rows->row[i].error_pct);
        }
    }
    qsort(errors, group->count, sizeof *errors, by_value);
    group->median = group->count ? errors[group->count / 2] : NAN;
    group->ninetieth = group->count ? errors[(size_t)(0.9 * (double)group->count)] : NAN;
    free(errors);
}

// All groups by variant, or by probe alone. Returns their number.
static size_t groups_of(const struct rows *rows, bool by_variant, struct group **groups) {
    size_t count = 0;
    *groups = memory_zeros(rows->count, sizeof **groups);
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        bool known = false;
        for (size_t g = 0; g < count && !known; g++) {
            known = is_in(row, &(*groups)[g]);
        }
        if (!known) {
            (*groups)[count++] = (struct group){row->machine, row->probe, by_variant ? row->variant : NULL, 0, 0, 0};
        }
    }
    return count;
}

static void predict(struct rows *rows, const char *constant) {
    for (size_t i = 0; i < rows->count; i++) {
        struct row *row = &rows->row[i];
        if (depends(row, constant)) {
            row->error_pct = 100 * (predicted_ns(row) / row->measured_ns - 1);
        }
    }
}

// Each variant counts by the root of its rows: its median error and a quarter of the 90th percentile.
static double objective(struct rows *rows, struct group *groups, size_t count, const char *constant) {
    double sum = 0, weights = 0;
    predict(rows, constant);
    for (size_t i = 0; i < count; i++) {
        measure_group(rows, &groups[i]);
        const double weight = sqrt((double)groups[i].count);
        sum += weight * (groups[i].median + groups[i].ninetieth / 4);
        weights += weight;
    }
    return sum / weights;
}

// ---- The search ----

static double *value_of(size_t constant) {
    return (double *)&time_constants + constant;
}

static double rounded(double value) {
    const double unit = pow(10, floor(log10(value)) - (int)DIGITS + 1);
    return round(value / unit) * unit;
}

// Keeps the rows of the machine that is fitted.
static void hold_out(struct rows *rows) {
    size_t fitted = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (strcmp(rows->row[i].machine, FITTED) == 0) {
            rows->row[fitted++] = rows->row[i];
        }
    }
    rows->count = fitted;
}

// What the search lowers.
struct search {
    struct rows *rows;
    struct group *groups;
    size_t count;
    double best;
};

// Multiplies a constant, and takes that back if the objective gets hardly better.
static bool try(struct search *search, size_t constant, const char *name, double factor) {
    const double before = *value_of(constant);
    *value_of(constant) = rounded(before * factor);
    const double now = objective(search->rows, search->groups, search->count, name);
    if (now < search->best - LEAST_GAIN) {
        search->best = now;
        printf("%-24s %10.4g objective %.4f\n", name, *value_of(constant), now);
        return true;
    }
    *value_of(constant) = before;
    predict(search->rows, name);
    return false;
}

static size_t print_constants(void) {
    size_t changed = 0;
    for (size_t i = 0; i < time_constant_count; i++) {
        const bool is_found = *value_of(i) == time_constant_list[i].value;
        if (!isnan(time_constant_list[i].without)) {
            printf("%-24s %10.4g%s\n", time_constant_list[i].name, *value_of(i), is_found ? "" : " *");
            changed += !is_found;
        }
    }
    return changed;
}

// Steps of each constant up and down; where none is better, smaller ones. Returns how many constants are other ones.
static size_t fit(struct rows *rows) {
    struct search search = {.rows = rows};
    hold_out(rows);
    search.count = groups_of(rows, true, &search.groups);
    search.best = objective(rows, search.groups, search.count, "");
    printf("%zu rows of %s, objective %.4f\n", rows->count, FITTED, search.best);
    for (double step = 0.2; step > 0.004;) {
        bool better = false;
        for (size_t i = 0; i < time_constant_count; i++) {
            if (!isnan(time_constant_list[i].without)) {
                better |= try(&search, i, time_constant_list[i].name, 1 - step);
                better |= try(&search, i, time_constant_list[i].name, 1 + step);
            }
        }
        step *= better ? 1 : 0.5;
    }
    free(search.groups);
    return print_constants();
}

// ---- Tables ----

static void print_errors(struct rows *rows, bool by_variant) {
    struct group *groups;
    const size_t count = groups_of(rows, by_variant, &groups);
    predict(rows, "");
    for (size_t i = 0; i < count; i++) {
        measure_group(rows, &groups[i]);
        printf("%-14s %-8s %-24s %5zu %6.1f %6.1f\n", groups[i].machine, groups[i].probe,
               groups[i].variant ? groups[i].variant : "", groups[i].count, groups[i].median, groups[i].ninetieth);
    }
    free(groups);
}

static double gain(const struct group *now, const struct group *before, size_t group, bool ninetieth) {
    return ninetieth ? now[group].ninetieth - before[group].ninetieth : now[group].median - before[group].median;
}

static void print_ablation(struct rows *rows) {
    struct group *groups, *variants;
    size_t count = groups_of(rows, false, &groups), variant_count = groups_of(rows, true, &variants);
    struct group *before = memory_zeros(variant_count, sizeof *before);
    predict(rows, "");
    printf("| without |");
    for (size_t g = 0; g < count; g++) {
        measure_group(rows, &groups[g]);
        printf(" %s %s |", groups[g].machine, groups[g].probe);
    }
    printf(" most of a variant's median | and of its 90th percentile |\n|---|");
    for (size_t g = 0; g < count + 2; g++) {
        printf("---|");
    }
    printf("\n| nothing |");
    for (size_t g = 0; g < count; g++) {
        printf(" %.1f |", groups[g].median);
    }
    printf(" | |\n");
    for (size_t v = 0; v < variant_count; v++) {
        measure_group(rows, &variants[v]);
        before[v] = variants[v];
    }
    for (size_t i = 0; i < time_constant_count; i++) {
        if (isnan(time_constant_list[i].without)) {
            continue;
        }
        *value_of(i) = time_constant_list[i].without;
        predict(rows, time_constant_list[i].name);
        printf("| `%s` |", time_constant_list[i].name);
        for (size_t g = 0; g < count; g++) {
            const double was = groups[g].median;
            measure_group(rows, &groups[g]);
            if (fabs(groups[g].median - was) >= 0.05) {
                printf(" %.1f |", groups[g].median);
            } else {
                printf(" |");
            }
            groups[g].median = was;
        }
        size_t median = 0, ninetieth = 0;
        for (size_t v = 0; v < variant_count; v++) {
            measure_group(rows, &variants[v]);
            median = gain(variants, before, v, false) > gain(variants, before, median, false) ? v : median;
            ninetieth = gain(variants, before, v, true) > gain(variants, before, ninetieth, true) ? v : ninetieth;
        }
        printf(" +%.1f `%s %s` | +%.1f `%s %s` |\n", gain(variants, before, median, false), variants[median].machine,
               variants[median].variant, gain(variants, before, ninetieth, true), variants[ninetieth].machine,
               variants[ninetieth].variant);
        *value_of(i) = time_constant_list[i].value;
        predict(rows, time_constant_list[i].name);
    }
    free(before);
    free(groups);
    free(variants);
}

// ---- Reading ----

static void read_rows(struct rows *rows, const char *path) {
    FILE *file = fopen(path, "r");
    char line[2 * PATH], work[PATH];
    size_t lost = 0;
    if (!file) {
        fail("cannot be opened", path);
    }
    rows->files = memory_zeros(4096, sizeof *rows->files);
    while (fgets(line, sizeof line, file)) {
        struct row row = {0};
        double ns;
        size_t number;
        if (sscanf(line, "%1023s %63s %63s %63s %lf %lf %lf %lf %zu", work, row.machine, row.probe, row.variant,
                   &row.measured_ns, &ns, &row.bound_ns, &row.rounds, &number) != 9) {
            fail("a line is not a row", path);
        }
        struct work_file *of = file_of(rows, work);
        row.file = of;
        if (!find_span(of, &row, ns, number)) {
            lost++;
            continue;
        }
        rows->row = memory_room(rows->row, rows->count, sizeof *rows->row);
        rows->row[rows->count++] = row;
    }
    fclose(file);
    fprintf(stderr, "fit: %zu rows, and %zu that are not the time of one step\n", rows->count, lost);
}

int main(int argc, char **argv) {
    struct rows rows = {0};
    if (argc < 2) {
        fputs("fit: no rows: fit [--errors|--variants|--ablation] ROWS\n", stderr);
        return 2;
    }
    read_rows(&rows, argv[argc - 1]);
    if (argc == 2) {
        const size_t changed = fit(&rows);
        if (changed > 0) {
            fprintf(stderr, "fit: %zu constants are not those of model/time/time_constants.h: write them there\n",
                    changed);
        }
        return changed > 0;
    }
    if (strcmp(argv[1], "--ablation") == 0) {
        print_ablation(&rows);
    } else {
        print_errors(&rows, strcmp(argv[1], "--variants") == 0);
    }
    return 0;
}
