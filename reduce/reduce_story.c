#include "reduce/reduce_story.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct limit {
    const struct device *device;
    uint64_t bytes;
    double gb_s;
};

struct step {
    const struct variant *variant;
    struct row row;
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

static struct limit *find_limit(const struct device *device, uint64_t bytes) {
    for (size_t i = 0; i < story.limit_count; i++) {
        if (story.limits[i].device == device && story.limits[i].bytes == bytes) {
            return &story.limits[i];
        }
    }
    return NULL;
}

double reduce_story_limit(const struct device *device, uint64_t bytes) {
    const struct limit *limit = find_limit(device, bytes);
    return limit ? limit->gb_s : (double)NAN;
}

void reduce_story_set_limit(const struct device *device, uint64_t bytes, double gb_s) {
    struct limit *limit = find_limit(device, bytes);
    if (limit) {
        limit->gb_s = gb_s;
        return;
    }
    struct limit *limits = grow(story.limits, story.limit_count, sizeof *limits);
    if (limits) {
        story.limits = limits;
        story.limits[story.limit_count++] = (struct limit){device, bytes, gb_s};
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

void reduce_story_add(const struct variant *variant, struct row *row) {
    const struct row *before = find_before(variant, row);
    if (before) {
        row->speedup = before->time_ns_median / row->time_ns_median;
    }
    struct step *steps = grow(story.steps, story.step_count, sizeof *steps);
    if (steps) {
        story.steps = steps;
        story.steps[story.step_count++] = (struct step){variant, *row};
    }
}

// ---- The story ----

// "  name 12.3 unit", nothing where the value is not known.
static void print_value(FILE *file, const char *name, double value, const char *unit) {
    if (!isnan(value)) {
        fprintf(file, "  %s %.*f%s", name, value < 100 ? 1 : 0, value, unit);
    }
}

static void print_counts(FILE *file, const struct row *row) {
    if (isnan(row->warps)) {
        return;
    }
    fprintf(file, "    a warp: %.4g global requests", row->requests / row->warps);
    print_value(file, "load", row->load_efficiency_pct, " %");
    print_value(file, "store", row->store_efficiency_pct, " %");
    fprintf(file, "\n            %.3g branches, %.3g barriers", row->branches, row->barriers);
    print_value(file, "lanes", row->active_lanes_pct, " %");
    if (!isnan(row->passes)) {
        fprintf(file, "  passes/request %.3g  conflicts %.4g", row->passes_per_request,
                row->bank_conflicts / row->warps);
    }
    fputc('\n', file);
}

static void print_time(FILE *file, const struct row *row) {
    fprintf(file, "    %.4g us, %.4g GB/s", row->time_ns_median / 1e3, row->bandwidth_gb_s);
    print_value(file, "of the read limit", row->limit_pct, " %");
    print_value(file, "first launch", row->first_kernel_pct, " %");
    if (!isnan(row->speedup)) {
        fprintf(file, "  x %.2f", row->speedup);
    }
    fputc('\n', file);
}

void reduce_story_print(FILE *file) {
    for (size_t i = 0; i < story.step_count; i++) {
        const struct step *step = &story.steps[i];
        if (i == 0 || !same_numbers(&story.steps[i - 1].row, &step->row)) {
            fprintf(file, "\n%s, %llu %s%s\n", step->row.spec, (unsigned long long)step->row.elements, step->row.type,
                    strcmp(step->row.source, "predicted") == 0 ? ": times are predicted bounds" : "");
        }
        fprintf(file, "  %s: %s\n", step->variant->name, step->variant->summary);
        print_counts(file, &step->row);
        print_time(file, &step->row);
    }
    fflush(file);
}
