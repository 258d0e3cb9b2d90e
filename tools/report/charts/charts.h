// The list of charts, and the published tables that they show.
#ifndef TOOLS_REPORT_CHARTS_CHARTS_H
#define TOOLS_REPORT_CHARTS_CHARTS_H

#include "tools/report/charts/chart.h"
#include "tools/report/table.h"
#include "util/error.h"

struct charts {
    struct chart *charts; // in the order of their names
    size_t count;
    struct texts texts;
};

// The files FOLDER/*.gp that are charts, and not what charts load.
enum status charts_read_folder(struct charts *charts, const char *folder, struct error *error);

// Those that the program contains.
void charts_read_own(struct charts *charts);
void charts_clear(struct charts *charts);

// Reads a table of results/published, of those that the program contains. False if there is none of the name.
bool charts_published(const char *name, struct table *table);

// ---- Curves ----

// Published curves that stand behind a chart: its key "curves: FILE X Y" names a table of results/published and the
// products of a point, such as 1000*cycles_mean/clock_mhz.

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

#endif
