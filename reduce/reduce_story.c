#include "reduce/reduce_story.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct limit {
    const struct device *device;
    enum reduce_type type;
    uint64_t elements;
    double gb_s;
};

struct step {
    const struct variant *variant;
    struct row row;
    bool told;
};

static struct {
    struct limit *limits;
    size_t limit_count;
    struct step *steps;
    size_t step_count;
} story;

// Room for one more at the end of a list; where memory has run out the story stays shorter.
static void *grow(void *list, size_t count, size_t size) {
    return (count & (count - 1)) == 0 ? realloc(list, (count ? 2 * count : 1) * size) : list;
}

// ---- The yardstick ----

static struct limit *find_limit(const struct device *device, enum reduce_type type, uint64_t elements) {
    for (size_t i = 0; i < story.limit_count; i++) {
        struct limit *limit = &story.limits[i];
        if (limit->device == device && limit->type == type && limit->elements == elements) {
            return limit;
        }
    }
    return NULL;
}

double reduce_story_limit(const struct device *device, enum reduce_type type, uint64_t elements) {
    const struct limit *limit = find_limit(device, type, elements);
    return limit ? limit->gb_s : (double)NAN;
}

void reduce_story_set_limit(const struct device *device, enum reduce_type type, uint64_t elements, double gb_s) {
    struct limit *limit = find_limit(device, type, elements);
    if (limit) {
        limit->gb_s = gb_s;
        return;
    }
    struct limit *limits = grow(story.limits, story.limit_count, sizeof *limits);
    if (limits) {
        story.limits = limits;
        story.limits[story.limit_count++] = (struct limit){device, type, elements, gb_s};
    }
}

// ---- Steps ----

static bool same_numbers(const struct row *a, const struct row *b) {
    return !strcmp(a->spec, b->spec) && !strcmp(a->type, b->type) && a->elements == b->elements;
}

static const struct row *find_before(const struct variant *variant, const struct row *row) {
    const struct reduce_detail *detail = variant->detail;
    for (size_t i = story.step_count; i-- > 0 && detail->before;) {
        const struct row *other = &story.steps[i].row;
        if (!strcmp(other->variant, detail->before) && same_numbers(other, row) && !strcmp(other->block, row->block)) {
            return other;
        }
    }
    return NULL;
}

void reduce_story_add(const struct variant *variant, struct row *row, bool told) {
    const struct row *before = find_before(variant, row);
    if (before) {
        row->speedup = before->time_ns_median / row->time_ns_median;
    }
    struct step *steps = grow(story.steps, story.step_count, sizeof *steps);
    if (steps) {
        story.steps = steps;
        story.steps[story.step_count++] = (struct step){variant, *row, told};
    }
}

// ---- The story ----

enum {
    NAME_WIDTH = 22
};

// A line of the story: what stands in its first column, and the rest, part by part.
struct line {
    FILE *file;
    const char *separator;
};

static struct line begin_line(FILE *file, const char *name) {
    fprintf(file, "  %-*s ", NAME_WIDTH, name);
    return (struct line){file, ""};
}

// A part "12.3 unit", left out where the value is not known.
static void print_part(struct line *line, const char *name, double value, const char *unit) {
    if (!isnan(value)) {
        fprintf(line->file, "%s%s%.*f%s", line->separator, name, value < 10 ? 2 : value < 1000 ? 1 : 0, value, unit);
        line->separator = ", ";
    }
}

static void print_counts(FILE *file, const struct row *row) {
    struct line line = begin_line(file, "");
    print_part(&line, "a warp: ", row->requests / row->warps, " global requests");
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
        print_part(&line, "", row->passes_per_request, " passes a shared request");
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

static void print_step(FILE *file, const struct step *step) {
    fprintf(file, "  %-*s %s\n", NAME_WIDTH, step->variant->name, step->variant->summary);
    if (!isnan(step->row.warps)) {
        print_counts(file, &step->row);
    }
    print_gain(file, step->variant, &step->row);
}

// What the steps below share.
static void print_heading(FILE *file, const struct row *row) {
    const bool predicted = strcmp(row->source, "predicted") == 0;
    const bool cpu = strcmp(row->backend, "cpu") == 0;
    fprintf(file, "\n%s, %llu %s%s\n", row->spec, (unsigned long long)row->elements, row->type,
            predicted ? ": times are bounds, predicted"
            : cpu     ? ""
                      : "; for the counters add --device sim:GPU, see --list-gpus");
}

void reduce_story_print(const void *session, FILE *file) {
    (void)session;
    const struct row *last = NULL;
    for (size_t i = 0; i < story.step_count; i++) {
        const struct step *step = &story.steps[i];
        if (!step->told) {
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
