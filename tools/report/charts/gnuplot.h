// Writes what gnuplot draws: for each picture of a results folder a script, which plots/draw.sh runs.
#ifndef TOOLS_REPORT_CHARTS_GNUPLOT_H
#define TOOLS_REPORT_CHARTS_GNUPLOT_H

#include <stddef.h>

#include "util/error.h"

struct gnuplot_task {
    const char *results;       // the folder of CSV files; its own folders count, too
    const char *const *beside; // folders whose rows stand beside those of `results`
    size_t beside_count;
    const char *plots; // of the charts
    const char
        *work; // takes the scripts NUMBER.gp, and the file `pictures` with a line "NUMBER CHART PICTURE" for each
};

// Says on standard error which charts are left out, and which files are at fault: then the status is STATUS_USAGE, and
// the pictures of the others are written.
enum status gnuplot_write(const struct gnuplot_task *task, struct error *error);

#endif
