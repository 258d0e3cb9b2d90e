#include "lanes/advise.h"

#include <stdlib.h>

#include "lanes/cure.h"
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

static void print_cure(FILE *file, const struct kernel_report *report, const struct cure *cure) {
    const struct access *access = cure->access;
    fprintf(file, "%s:%u: %s %s, %.1f %% of the predicted time\n%*s", access->line->file, access->line->number,
            space_name(access->space), operation_name(access->operation), 100 * access->share, INDENT, "");
    wrap_text(file, cure->text, INDENT, INDENT);
    fprintf(file, "\n%*s%.0f of %.0f %s would go, and %.3g of the %.3g us of the predicted time\n", INDENT, "",
            cure->wasted, cure->all, cure->unit, cure->gain_ns / 1000, report->counts.predicted_ns / 1000);
}

static void advise_one(FILE *file, const struct kernel_report *report) {
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
        qsort(cures, count, sizeof *cures, by_gain);
    }
    fprintf(file, "\nadvice for %s\n", report->gpu->name);
    for (; shown < WORST && shown < count && cures[shown].gain_ns > least_gain * report->counts.predicted_ns; shown++) {
        print_cure(file, report, &cures[shown]);
    }
    if (!shown) {
        fputs("no line's usual cure gains 1 % of the predicted time\n", file);
    }
    free(cures);
    free(accesses);
}

void advise_print(FILE *file, const struct kernel_report *reports, size_t count) {
    for (size_t i = 0; i < count; i++) {
        advise_one(file, &reports[i]);
    }
}
