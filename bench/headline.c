#include "bench/headline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

#include "util/terminal.h"
#include "util/text.h"

static const struct metric bandwidth = {
    .value = COLUMN_bandwidth_gb_s,
    .peak = COLUMN_peak_gb_s,
    .unit = "GB/s",
    .hint = "The memory's peak is unknown here: give it with --peak GB/S.",
};

static const struct metric *metric_of(const struct headline *headline, const struct row *row) {
    const struct metric *metric = &bandwidth;
    for (size_t i = headline->probe->metric_count; i-- > 0;) {
        const struct metric *own = &headline->probe->metrics[i];
        metric = row_real(row, own->value) > 0 ? own : metric;
    }
    return metric;
}

// More is better.
static double score(const struct headline *headline, const struct row *row) {
    const struct metric *metric = metric_of(headline, row);
    const double value = row_real(row, metric->value);
    return metric->is_cost ? 1 / value : value;
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
    if (!headline->probe || strcmp(row->kernel, "all") != 0 || !(score(headline, row) > 0)) {
        return;
    }
    struct row *found = find(headline, row);
    if (!found) {
        headline->rows = memory_room(headline->rows, headline->count, sizeof *headline->rows);
        headline->rows[headline->count++] = *row;
    } else if (score(headline, row) > score(headline, found)) {
        *found = *row;
    }
}

// How well the figure is known.
static void write_interval(const struct row *row, FILE *file) {
    if (isfinite(row->interval_pct)) {
        fprintf(file, " +- %.*f %%", row->interval_pct < 10 ? 1 : 0, row->interval_pct);
    }
    fputs(strstr(row->verdict, "waited") ? " (waited)" : "", file);
    fputs(strstr(row->verdict, "cache-resident") ? " (cache-resident)" : "", file); // it may exceed the memory's peak
}

static void write_row(const struct headline *headline, const struct row *row, FILE *file) {
    const struct metric *metric = metric_of(headline, row);
    const double value = row_real(row, metric->value), peak = row_real(row, metric->peak);
    fprintf(file, " %s %.1f %s", row->variant, value, metric->unit);
    write_interval(row, file);
    if (100 * value / peak >= 0.5 && fabs(value - peak) > 0) { // the row of the peak itself needs no share
        fprintf(file, " (%.0f %% of peak)", 100 * value / peak);
    }
}

static bool same_device(const struct row *a, const struct row *b) {
    return strcmp(a->spec, b->spec) == 0;
}

// Writes the line of the device whose rows begin here. Returns where the next device's begin.
static size_t write_device(const struct headline *headline, size_t first, FILE *file) {
    size_t i = first;
    fputs(headline->rows[first].spec, file);
    for (; i < headline->count && same_device(&headline->rows[i], &headline->rows[first]); i++) {
        fputs(i == first ? ":" : ",", file);
        write_row(headline, &headline->rows[i], file);
    }
    fputs(strcmp(headline->rows[i - 1].source, "predicted") == 0 ? ", predicted" : "", file);
    return i;
}

static void print_line(const char *text, FILE *file) {
    if (terminal_columns(file) > 0) {
        wrap_text(file, text, 0, 2);
    } else {
        fputs(text, file);
    }
    fputc('\n', file);
}

static bool has_peak(const struct headline *headline, const char *spec) {
    bool found = false;
    for (size_t i = 0; i < headline->count; i++) {
        const struct row *row = &headline->rows[i];
        found |= strcmp(row->spec, spec) == 0 && row_real(row, metric_of(headline, row)->peak) > 0;
    }
    return found;
}

// How to give a device the peak that none of its rows has; NULL if each device has one, as simulated devices have.
static const char *hint_of(const struct headline *headline) {
    const char *hint = NULL;
    for (size_t i = 0; i < headline->count && !hint; i++) {
        const struct row *row = &headline->rows[i];
        const bool lacks_peak = strcmp(row->source, "measured") == 0 && !has_peak(headline, row->spec);
        hint = lacks_peak ? metric_of(headline, row)->hint : NULL;
    }
    return hint;
}

void headline_print(const struct headline *headline, FILE *file) {
    const char *hint = hint_of(headline);
    fputs(headline->count > 0 ? "\n" : "", file);
    for (size_t i = 0; i < headline->count;) {
        char *text = NULL;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        if (!stream) {
            return; // the rows themselves are written
        }
        i = write_device(headline, i, stream);
        fclose(stream);
        print_line(text, file);
        free(text);
    }
    if (hint) {
        fprintf(file, "%s\n", hint);
    }
}

void headline_clear(struct headline *headline) {
    free(headline->rows);
    *headline = (struct headline){0};
}
