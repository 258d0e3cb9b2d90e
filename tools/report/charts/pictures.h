// Selects what each chart shows of the rows of CSV files: the same rows for a gnuplot script and for a page.
#ifndef TOOLS_REPORT_CHARTS_PICTURES_H
#define TOOLS_REPORT_CHARTS_PICTURES_H

#include <stddef.h>

#include "tools/report/charts/select.h"
#include "tools/report/table.h"

// A chart of one device, or of several beside each other: what it shows, before it is drawn.

struct picture_series {
    const char *name; // of a device its machine_name()
    const char *title;
    const char *sources; // "measured", "measured and predicted" ...
    double peak;         // GB/s; 0: unknown
};

struct picture {
    const struct chart *chart;
    bool is_comparison;
    const char *machine; // machine_name() of the device; "" of a comparison
    size_t file;         // whose device it shows, counted from 0
    const char *suffix;  // tells several devices of one file apart; "" where there is one
    const char *subtitle, *settings, *left_out;
    bool of_cpu; // it shows nothing else
    struct picture_series series[SERIES_MAX];
    size_t series_count;
    struct item *const *marks; // the rows, by series, then by position
    size_t mark_count;
    const size_t *rows, *values; // columns of the marks' values: the chart's "rows" and "values"
    const char **names;          // of the positions 1, 2 ..., where x is no number; then those of yardsticks
    size_t name_count, bars;
};

// Takes a picture, which ends with the call.
typedef void picture_writer(void *context, const struct picture *picture);

// A chart that is left out, or a part of it, and why.
struct note {
    const char *chart;
    char *text;
    const struct table *table; // that lacks rows for it; NULL: the note is about several
};

struct notes {
    struct note *notes;
    size_t count;
};

void notes_clear(struct notes *notes);

// One name for a device, measured or simulated; to be freed.
char *machine_name(const char *backend, const char *device, const char *arch);

// Gives the pictures of a chart to `write`. The tables are those of its probe. Of all but the first `own_count` only
// rows beside those of the own ones are drawn.
void chart_pictures(const struct chart *chart, const struct table *const *tables, size_t table_count, size_t own_count,
                    picture_writer *write, void *context, struct notes *notes);

#endif
