#include "bench/headline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// For a latency, shorter is better.
static bool is_latency(const struct row *row) {
    return row->latency_ns > 0;
}

static bool counts_updates(const struct row *row) {
    return row->gop_s > 0;
}

static bool is_link(const struct row *row) {
    return row->one_way_gb_s > 0;
}

static double rate(const struct row *row) {
    return is_latency(row)       ? 1 / row->latency_ns
           : counts_updates(row) ? row->gop_s
           : is_link(row)        ? row->one_way_gb_s
                                 : row->bandwidth_gb_s;
}

static struct row *find(const struct headline *headline, const struct row *row) {
    for (size_t i = 0; i < headline->count; i++) {
        struct row *found = &headline->rows[i];
        if (strcmp(found->spec, row->spec) == 0 && strcmp(found->variant, row->variant) == 0) {
            return found;
        }
    }
    return NULL;
}

void headline_add(struct headline *headline, const struct row *row) {
    if (!headline->wanted || strcmp(row->kernel, "all") != 0 || !(rate(row) > 0)) {
        return;
    }
    struct row *found = find(headline, row);
    if (!found) {
        struct row *grown = realloc(headline->rows, (headline->count + 1) * sizeof *grown);
        if (!grown) {
            return; // the row itself is still written
        }
        headline->rows = grown;
        headline->rows[headline->count++] = *row;
    } else if (rate(row) > rate(found)) {
        *found = *row;
    }
}

static void print_row(const struct row *row, FILE *file) {
    if (is_latency(row)) {
        fprintf(file, " %s %.1f ns", row->variant, row->latency_ns);
        return;
    }
    const double peak = counts_updates(row) ? row->peak_gop_s : row->peak_gb_s;
    fprintf(file, " %s %.1f %s", row->variant, rate(row), counts_updates(row) ? "Gop/s" : "GB/s");
    if (100 * rate(row) / peak >= 0.5 && fabs(rate(row) - peak) > 0) { // the peak's own row needs no share
        fprintf(file, " (%.0f %% of peak)", 100 * rate(row) / peak);
    }
}

void headline_print(const struct headline *headline, FILE *file) {
    bool unknown = false;
    for (size_t i = 0; i < headline->count; i++) {
        const struct row *row = &headline->rows[i];
        const bool first = i == 0 || strcmp(row->spec, headline->rows[i - 1].spec) != 0;
        const bool last = i + 1 == headline->count || strcmp(row->spec, headline->rows[i + 1].spec) != 0;
        fprintf(file, "%s%s%s", first ? "\n" : "", first ? row->spec : "", first ? ":" : ",");
        print_row(row, file);
        fputs(last && strcmp(row->source, "predicted") == 0 ? ", predicted" : "", file);
        unknown |= !is_latency(row) && !counts_updates(row) && !is_link(row) && !(row->peak_gb_s > 0);
    }
    fputs(headline->count > 0 ? "\n" : "", file);
    if (unknown) {
        fputs("The memory's peak is unknown here: give it with --peak GB/S.\n", file);
    }
}

void headline_clear(struct headline *headline) {
    free(headline->rows);
    *headline = (struct headline){0};
}
