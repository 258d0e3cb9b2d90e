// Published curves that stand behind a chart: its key "curves: FILE X Y" names a table of results/published and the
// expressions of a point, products of columns and numbers such as 1000*cycles_mean/clock_mhz.
#ifndef TOOLS_REPORT_CHARTS_CURVES_H
#define TOOLS_REPORT_CHARTS_CURVES_H

#include <stddef.h>

#include "tools/report/charts/chart.h"

struct point {
    double x, y;
};

struct curve {
    char *device;
    struct point *points;
    size_t count;
};

struct curves {
    struct curve *curves; // in the order of the table
    size_t count;
};

struct curves curves_read(const struct chart *chart);
void curves_clear(struct curves *curves);

// What is left out of the charts, and why.

struct note {
    char *chart, *text;
};

struct notes {
    struct note *notes;
    size_t count;
};

// Takes the text, which is freed with the notes.
void notes_add(struct notes *notes, const struct chart *chart, char *text);
void notes_clear(struct notes *notes);

#endif
