// A chart of one device, or of several beside each other: what it shows, before it is drawn.
#ifndef TOOLS_REPORT_CHARTS_PICTURE_H
#define TOOLS_REPORT_CHARTS_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/report/charts/chart.h"

enum {
    SERIES_MAX = 8 // as many as plots/style.gp has colours
};

enum source {
    MEASURED,
    PREDICTED,
    PUBLISHED,
    SOURCES
};

// What a bar through a point shows.
enum bar_interval {
    NO_INTERVAL,
    OF_THE_MEDIAN,  // the 95 % interval
    OF_ALL_SAMPLES, // from the slowest to the fastest
};

struct picture_series {
    const char *name; // of a device its machine_name()
    char *title;
    char *sources; // "measured", "measured and predicted" ...
    double peak;   // GB/s; 0: unknown
};

// A row of the picture. Texts are "" where they are unknown.
struct mark {
    size_t series; // counted from 0
    enum source source;
    size_t file, row;        // counted from 0; of a published row no file
    const char *warnings;    // "noisy+throttled": its point is hollow
    const double *positions; // by the chart's "rows"
    const char **values;     // by the chart's "rows" but for the last, then by its "values"
    enum bar_interval interval;
    double low, high; // its ends
    bool after_gap;   // the line from the mark before does not reach it
};

struct picture {
    const struct chart *chart;
    bool is_comparison;
    const char *machine; // machine_name() of the device; "" of a comparison
    size_t file;         // whose device it shows, counted from 0
    char *suffix;        // tells several devices of one file apart; "" where there is one
    char *subtitle, *settings, *left_out;
    bool of_cpu; // it shows nothing else
    struct picture_series series[SERIES_MAX];
    size_t series_count;
    struct mark *marks; // by series, then by position
    size_t mark_count;
    char **names; // of the positions 1, 2 ..., where x is no number; then those of yardsticks
    size_t name_count, bars;
};

#endif
