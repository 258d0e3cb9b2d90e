// The order of a picture's rows.
#ifndef TOOLS_REPORT_CHARTS_ARRANGE_H
#define TOOLS_REPORT_CHARTS_ARRANGE_H

#include "tools/report/charts/curves.h"
#include "tools/report/charts/selection.h"

// Orders the rows that are kept. Returns how many different x they have, without those of published rows and
// yardsticks.
size_t arrange(struct selection *selection, struct notes *notes);

#endif
