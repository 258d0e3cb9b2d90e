#include "bench/headline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/terminal.h"
#include "util/wrap.h"

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

static void write_row(const struct row *row, FILE *file) {
    if (is_latency(row)) {
        fprintf(file, " %s %.1f ns", row->variant, row->latency_ns);
        return;
    }
    const double peak = counts_updates(row) ? row->peak_gop_s : row->peak_gb_s;
    fprintf(file, " %s %.1f %s", row->variant, rate(row), counts_updates(row) ? "GOP/s" : "GB/s");
    if (100 * rate(row) / peak >= 0.5 && fabs(rate(row) - peak) > 0) { // the peak's own row needs no share
        fprintf(file, " (%.0f %% of peak)", 100 * rate(row) / peak);
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
        write_row(&headline->rows[i], file);
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

void headline_print(const struct headline *headline, FILE *file) {
    bool unknown = false;
    for (size_t i = 0; i < headline->count; i++) {
        const struct row *row = &headline->rows[i];
        unknown |= !is_latency(row) && !counts_updates(row) && !is_link(row) && !(row->peak_gb_s > 0);
    }
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
    if (unknown) {
        fputs("The memory's peak is unknown here: give it with --peak GB/S.\n", file);
    }
}

void headline_clear(struct headline *headline) {
    free(headline->rows);
    *headline = (struct headline){0};
}
