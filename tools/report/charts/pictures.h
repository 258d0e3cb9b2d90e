// Selects what each chart shows of the rows of CSV files: the same rows for a gnuplot script and for a page.
#ifndef TOOLS_REPORT_CHARTS_PICTURES_H
#define TOOLS_REPORT_CHARTS_PICTURES_H

#include <stddef.h>

#include "tools/report/charts/curves.h"
#include "tools/report/charts/selection.h"
#include "tools/report/table.h"

// Takes a picture, which ends with the call.
typedef void picture_writer(void *context, const struct picture *picture);

// One name for a device, measured or simulated; to be freed.
char *machine_name(const char *backend, const char *device, const char *arch);

// Gives the pictures of a chart to `write`. The tables are those of its probe. Of all but the first `own_count` only
// rows beside those of the own ones are drawn.
void chart_pictures(const struct chart *chart, const struct table *const *tables, size_t table_count, size_t own_count,
                    picture_writer *write, void *context, struct notes *notes);

#endif
