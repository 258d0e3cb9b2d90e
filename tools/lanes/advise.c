#include "tools/lanes/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/wrap.h"

enum {
    WORST = 3
};

// Advice that gains less of the predicted time is left out.
static const double least_gain = 0.01;

static int by_gain(const void *left, const void *right) {
    const struct cure *a = left, *b = right;
    return (a->gain_ns < b->gain_ns) - (a->gain_ns > b->gain_ns);
}

enum {
    INDENT = 4
};

static bool gains(const struct kernel_report *report, const struct cure *cure) {
    return cure->gain_ns > least_gain * report->counts.predicted_ns;
}

// What was tried is predicted by a whole run, and what was not by the line's part in the time.
static void print_gain(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *report,
                       const struct cure *cure) {
    struct trial trials[TRIALS_MAX];
    const size_t count = trial_run(kernel, report, cure, trials);
    const double now = report->counts.predicted_ns;
    char text[160];
    int length = snprintf(text, sizeof text, "%.0f of %.0f %s would go", cure->wasted, cure->all, cure->unit);
    if (!count && !gains(report, cure)) {
        snprintf(text + length, sizeof text - (size_t)length, ", but L1 serves them as fast: no gain is predicted");
    } else if (!count) {
        snprintf(text + length, sizeof text - (size_t)length, ", and %.3g of the %.3g us of the predicted time",
                 cure->gain_ns / 1000, now / 1000);
    }
    fprintf(file, "\n%*s", INDENT, "");
    wrap_text(file, text, INDENT, INDENT);
    fputc('\n', file);
    for (size_t i = 0; i < count; i++) {
        const double then = trials[i].predicted_ns;
        fprintf(file, "%*s", INDENT, "");
        wrap_text(file, trials[i].text, INDENT, 2 * INDENT);
        fprintf(file, "\n%*s%.3g us in place of %.3g us, a %s of %.1f %%\n", 2 * INDENT, "", then / 1000, now / 1000,
                then <= now ? "gain" : "loss", 100 * fabs(now - then) / now);
    }
}

static void print_cure(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *report,
                       const struct cure *cure) {
    const struct access *access = cure->access;
    fprintf(file, "%s:%u%s: %s %s, %.1f %% of the predicted time\n%*s", access->line->file, access->line->number,
            cure->others, space_name(access->space), cure->both ? "load and store" : access_name(access),
            100 * cure->share, INDENT, "");
    wrap_text(file, cure->text, INDENT, INDENT);
    print_gain(file, kernel, report, cure);
}

// Puts cures that are one and the same into one, and returns how many are left.
static size_t join(struct cure *cures, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < kept && !cure_join(&cures[j], &cures[i])) {
            j++;
        }
        if (j == kept) {
            cures[kept++] = cures[i];
        }
    }
    return kept;
}

// A launch that takes most of the time leaves little to gain for any line.
static void print_launch(FILE *file, const struct kernel_report *report) {
    const struct launch_counts *counts = &report->counts;
    if (counts->predicted_by && strcmp(counts->predicted_by, time_part_name(TIME_LAUNCH)) == 0) {
        fprintf(file,
                "bound by the launch, %.3g of %.3g us: give it more work, or join it with others; cures of lines gain "
                "little\n",
                counts->part_ns[TIME_LAUNCH] / 1000, counts->predicted_ns / 1000);
    }
}

static void advise_one(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *report) {
    struct access *accesses = calloc(report->line_count * LINE_KINDS + 1, sizeof *accesses);
    struct cure *cures = calloc(report->line_count * LINE_KINDS + 1, sizeof *cures);
    size_t count = 0, shown = 0;
    for (size_t i = 0; accesses && cures && i < report->line_count; i++) {
        struct access *of_line = accesses + LINE_KINDS * i;
        line_accesses(report, &report->lines[i], of_line);
        for (size_t kind = 0; kind < LINE_KINDS; kind++) {
            if (of_line[kind].counts->requests > 0) {
                cures[count++] = cure_find(report, &of_line[kind]);
            }
        }
    }
    if (count) {
        count = join(cures, count);
        qsort(cures, count, sizeof *cures, by_gain);
    }
    fprintf(file, "\nadvice for %s\n", report->gpu->name);
    print_launch(file, report);
    for (size_t i = 0; i < count && shown < WORST; i++) {
        if (cures[i].kind == CURE_REUSE || gains(report, &cures[i])) {
            print_cure(file, kernel, report, &cures[i]);
            shown++;
        }
    }
    if (!shown) {
        fputs("no line's usual cure gains 1 % of the predicted time\n", file);
    }
    free(cures);
    free(accesses);
}

void advise_print(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *reports, size_t count) {
    for (size_t i = 0; i < count; i++) {
        advise_one(file, kernel, &reports[i]);
    }
}
