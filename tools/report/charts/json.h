// A picture as JSON, from which a page draws it:
//   chart, file   the chart's name; the number of the file whose device it shows, 0 for a comparison
//   machines      the names of its devices
//   kind          what draws it: series, bars, stack, scaling, steps, matrix, cells or columns
//   settings      what the chart sets before it is drawn: title, xlabel, log_y ...
//   subtitle, common, left_out   texts
//   series        [name, peak in GB/s or null]
//   names         of each x that is not a number, by position; those after `bars` are yardsticks
//   marks         [series, source, file, row, warnings, rows..., values...], counted from 1; source 0 is measured,
//                 1 predicted, 2 published, which has file 0. One with a bar has three more: the low end, the high
//                 one, and 1 for the 95 % interval of the median or 2 for all samples
//   curves        whether the chart's curves stand behind
//   gaps          the marks, counted from 0, that the line from the mark before does not reach
#ifndef TOOLS_REPORT_CHARTS_JSON_H
#define TOOLS_REPORT_CHARTS_JSON_H

#include "tools/report/charts/pictures.h"
#include "util/json_writer.h"

// A picture_writer, whose context is a struct json_writer.
void picture_write_json(void *writer, const struct picture *picture);

// The curves behind a chart's pictures, apart from them because all show the same: [device, [x, y] ...], by the chart's
// name. Nothing if it has none.
void curves_write_json(struct json_writer *writer, const struct chart *chart);

#endif
