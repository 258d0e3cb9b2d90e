#include "lanes/advise.h"

#include <stdlib.h>

#include "model/shared_memory.h"

enum {
    WORST = 3,
    KINDS = 4
};

// What one kind of access of one line wastes.
struct waste {
    const struct sim_line *line;
    const struct memory_counts *counts;
    const char *access; // "shared load"
    bool shared;
    double wasted;      // passes or sectors beyond the least
    double nanoseconds; // what these take at the peak rate of the shared memories that have a block, or of L2
};

// The least passes or sectors that could hold what the lanes ask for.
static double wasted_of(const struct gpu *gpu, const struct memory_counts *counts, bool shared) {
    if (shared) {
        return counts->conflicts;
    }
    const double least = counts->lane_bytes / gpu->sector_bytes;
    return counts->sectors > least ? counts->sectors - least : 0;
}

static double time_of(const struct kernel_report *report, double wasted, bool shared) {
    const struct gpu *gpu = report->gpu;
    const double units = report->blocks < gpu->compute_units ? report->blocks : gpu->compute_units;
    const double per_clock = shared ? units : gpu_l2_bytes_per_clock(gpu) / gpu->sector_bytes;
    return per_clock > 0 ? wasted / per_clock * 1000 / gpu->clock_mhz : 0;
}

static void wastes_of_line(const struct kernel_report *report, const struct sim_line *line,
                           struct waste wastes[KINDS]) {
    const struct {
        const char *access;
        const struct memory_counts *counts;
    } kinds[KINDS] = {{"global load", &line->counts.global_load},
                      {"global store", &line->counts.global_store},
                      {"shared load", &line->counts.shared_load},
                      {"shared store", &line->counts.shared_store}};
    for (size_t i = 0; i < KINDS; i++) {
        const bool shared = i >= 2;
        const double wasted = wasted_of(report->gpu, kinds[i].counts, shared);
        wastes[i] =
            (struct waste){line, kinds[i].counts, kinds[i].access, shared, wasted, time_of(report, wasted, shared)};
    }
}

static int by_time(const void *left, const void *right) {
    const struct waste *a = left, *b = right;
    return (a->nanoseconds < b->nanoseconds) - (a->nanoseconds > b->nanoseconds);
}

static double bytes_each(const struct waste *waste, const struct sim_line *line) {
    const double lanes = line->counts.instructions > 0 ? line->counts.lane_steps / line->counts.instructions : 0;
    return lanes > 0 ? waste->counts->lane_bytes / waste->counts->requests / lanes : 0;
}

// The pattern behind the figures, and the usual cure.
static const char *cure_of(const struct gpu *gpu, const struct waste *waste) {
    const double each = waste->shared ? waste->counts->passes / waste->counts->requests
                                      : waste->counts->sectors / waste->counts->requests;
    const double lanes = waste->line->counts.lane_steps / waste->line->counts.instructions;
    if (waste->shared && each >= lanes / 2) {
        return "the lanes walk down a column, so that all are in one bank: make the rows of the array one element "
               "longer, or swizzle the index (column ^ row)";
    }
    if (waste->shared) {
        return "lanes of one request want several rows of the same bank: make the rows of the array one element "
               "longer, "
               "or let neighbouring lanes take neighbouring elements";
    }
    if (each >= lanes && bytes_each(waste, waste->line) < gpu->sector_bytes) {
        return "each lane touches a sector of its own: let neighbouring lanes take neighbouring elements (transpose "
               "the "
               "index), or stage the tile through shared memory";
    }
    return "sectors are moved and used in part: begin each row at a multiple of the sector, and let neighbouring lanes "
           "take neighbouring elements";
}

static void print_waste(FILE *file, const struct kernel_report *report, const struct waste *waste) {
    const struct memory_counts *counts = waste->counts;
    const double all = waste->shared ? counts->passes : counts->sectors, predicted = report->counts.predicted_ns;
    const char *unit = waste->shared ? "passes" : "sectors";
    fprintf(file, "%s:%u: %s, %.0f requests of %.2f %s each: %s\n", waste->line->file, waste->line->number,
            waste->access, counts->requests, all / counts->requests, unit, cure_of(report->gpu, waste));
    fprintf(file, "    gain: %.0f of %.0f %s, about %.3g of the %.3g us that the launch is predicted to take\n",
            waste->wasted, all, unit, waste->nanoseconds < predicted ? waste->nanoseconds / 1000 : predicted / 1000,
            predicted / 1000);
}

static void advise_one(FILE *file, const struct kernel_report *report) {
    struct waste *wastes = calloc(report->line_count * KINDS + 1, sizeof *wastes);
    size_t shown = 0;
    for (size_t i = 0; wastes && i < report->line_count; i++) {
        wastes_of_line(report, &report->lines[i], wastes + KINDS * i);
    }
    if (wastes) {
        qsort(wastes, report->line_count * KINDS, sizeof *wastes, by_time);
    }
    fprintf(file, "\nadvice for %s\n", report->gpu->name);
    for (; wastes && shown < WORST && shown < report->line_count * KINDS && wastes[shown].wasted > 0; shown++) {
        print_waste(file, report, &wastes[shown]);
    }
    if (!shown) {
        fputs("no line has a bank conflict, or moves sectors that it does not use\n", file);
    }
    free(wastes);
}

void advise_print(FILE *file, const struct kernel_report *reports, size_t count) {
    for (size_t i = 0; i < count; i++) {
        advise_one(file, &reports[i]);
    }
}
