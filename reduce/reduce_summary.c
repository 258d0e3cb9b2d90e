#include "reduce/reduce_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- The yardstick ----

static struct reduce_limit *find_limit(const struct reduce_summary *summary, const struct device *device,
                                       enum reduce_type type, uint64_t elements) {
    for (size_t i = 0; i < summary->limit_count; i++) {
        struct reduce_limit *limit = &summary->limits[i];
        if (limit->device == device && limit->type == type && limit->elements == elements) {
            return limit;
        }
    }
    return NULL;
}

double reduce_summary_limit(const struct reduce_summary *summary, const struct device *device, enum reduce_type type,
                            uint64_t elements) {
    const struct reduce_limit *limit = find_limit(summary, device, type, elements);
    return limit ? limit->gb_s : (double)NAN;
}

void reduce_summary_set_limit(struct reduce_summary *summary, const struct device *device, enum reduce_type type,
                              uint64_t elements, double gb_s) {
    struct reduce_limit *limit = find_limit(summary, device, type, elements);
    if (limit) {
        limit->gb_s = gb_s;
        return;
    }
    summary->limits = memory_room(summary->limits, summary->limit_count, sizeof *summary->limits);
    summary->limits[summary->limit_count++] = (struct reduce_limit){device, type, elements, gb_s};
}

// ---- Steps ----

static bool same_numbers(const struct row *a, const struct row *b) {
    return !strcmp(a->spec, b->spec) && !strcmp(a->type, b->type) && a->elements == b->elements;
}

static const struct row *find_before(const struct reduce_summary *summary, const struct variant *variant,
                                     const struct row *row) {
    const struct reduce_detail *detail = variant->detail;
    for (size_t i = summary->step_count; i-- > 0 && detail->before;) {
        const struct row *other = &summary->steps[i].row;
        if (!strcmp(other->variant, detail->before) && same_numbers(other, row) && !strcmp(other->block, row->block)) {
            return other;
        }
    }
    return NULL;
}

void reduce_summary_add(struct reduce_summary *summary, const struct variant *variant, struct row *row, bool printed) {
    const struct row *before = find_before(summary, variant, row);
    if (before) {
        row->speedup = before->time_ns_median / row->time_ns_median;
    }
    for (size_t i = 0; i < summary->step_count; i++) {
        if (summary->steps[i].variant == variant && same_numbers(&summary->steps[i].row, row) &&
            !strcmp(summary->steps[i].row.block, row->block)) {
            summary->steps[i].row = *row; // a further round of the same point
            return;
        }
    }
    summary->steps = memory_room(summary->steps, summary->step_count, sizeof *summary->steps);
    summary->steps[summary->step_count++] = (struct reduce_step){variant, *row, printed};
}

// ---- The text ----

enum {
    NAME_WIDTH = 22
};

// A line of the summary. Its parts follow a first column.
struct line {
    FILE *file;
    const char *separator;
};

static struct line begin_line(FILE *file, const char *name) {
    fprintf(file, "  %-*s ", NAME_WIDTH, name);
    return (struct line){file, ""};
}

// Prints a part "12.3 unit", unless the value is unknown.
static void print_part(struct line *line, const char *name, double value, const char *unit) {
    if (!isnan(value)) {
        fprintf(line->file, "%s%s%.*f%s", line->separator, name, value < 10 ? 2 : value < 1000 ? 1 : 0, value, unit);
        line->separator = ", ";
    }
}

static void print_counts(FILE *file, const struct row *row) {
    struct line line = begin_line(file, "");
    print_part(&line, "a warp: ", row->requests / row->warps, " global requests");
    fputc('\n', file);
    line = begin_line(file, "");
    print_part(&line, "load ", row->load_efficiency_pct, " %");
    print_part(&line, "store ", row->store_efficiency_pct, " %");
    fputc('\n', file);
    line = begin_line(file, "");
    print_part(&line, "lanes ", row->active_lanes_pct, " %");
    print_part(&line, "", row->branches, " branches");
    print_part(&line, "", row->barriers, " barriers");
    fputc('\n', file);
    if (!isnan(row->passes)) {
        line = begin_line(file, "");
        print_part(&line, "", row->passes_per_request, " passes per shared request");
        print_part(&line, "", row->bank_conflicts / row->warps, " conflicts");
        fputc('\n', file);
    }
}

static void print_gain(FILE *file, const struct variant *variant, const struct row *row) {
    struct line line = begin_line(file, "");
    print_part(&line, "", row->time_ns_median / 1e3, " us");
    print_part(&line, "", row->bandwidth_gb_s, " GB/s");
    print_part(&line, "", row->limit_pct, " % of the limit");
    fputc('\n', file);
    if (!isnan(row->speedup)) {
        line = begin_line(file, "");
        print_part(&line, "", row->speedup, " times the speed of ");
        fprintf(file, "%s\n", ((const struct reduce_detail *)variant->detail)->before);
    }
}

static void print_step(FILE *file, const struct reduce_step *step) {
    fprintf(file, "  %-*s %s\n", NAME_WIDTH, step->variant->name, step->variant->summary);
    if (!isnan(step->row.warps)) {
        print_counts(file, &step->row);
    }
    print_gain(file, step->variant, &step->row);
}

// The common parameters of the next steps.
static void print_heading(FILE *file, const struct row *row) {
    const bool predicted = strcmp(row->source, "predicted") == 0;
    const bool cpu = strcmp(row->backend, "cpu") == 0;
    fprintf(file, "\n%s, %llu %s%s\n", row->spec, (unsigned long long)row->elements, row->type,
            predicted ? ": times are predicted"
            : cpu     ? ""
                      : "; for the counters add --device sim:GPU, see --list-gpus");
}

void reduce_summary_print(const struct reduce_summary *summary, FILE *file) {
    const struct row *last = NULL;
    for (size_t i = 0; i < summary->step_count; i++) {
        const struct reduce_step *step = &summary->steps[i];
        if (!step->printed) {
            continue;
        }
        if (!last || !same_numbers(last, &step->row)) {
            print_heading(file, &step->row);
        }
        last = &step->row;
        print_step(file, step);
    }
    fflush(file);
}

void reduce_summary_clear(struct reduce_summary *summary) {
    free(summary->limits);
    free(summary->steps);
    *summary = (struct reduce_summary){0};
}
