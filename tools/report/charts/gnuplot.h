// Writes what gnuplot draws: for each picture of a results folder a script, which plots/draw.sh runs.
#ifndef TOOLS_REPORT_CHARTS_GNUPLOT_H
#define TOOLS_REPORT_CHARTS_GNUPLOT_H

#include "util/options.h"

// Draws the charts of the folder `plots` from the CSV files of `folder`, whose own folders count, too, and from
// the folders `beside`, whose rows stand beside those. The folder `work` takes the scripts NUMBER.gp, and the file
// `pictures` with a line "NUMBER CHART PICTURE" for each. Says on standard error which charts are left out, and which
// files are at fault: then the status is STATUS_USAGE, and the pictures of the others are written.
enum status gnuplot_write(const char *folder, const struct option_list *beside, const char *plots, const char *work,
                          struct error *error);

#endif
