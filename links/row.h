// The content of links' rows.
#ifndef LINKS_ROW_H
#define LINKS_ROW_H

#include "links/variant.h"

// GB/s that the link between two devices, or a device and the host (NULL), carries in one direction; NaN: unknown.
double links_peak_gb_s(const struct run *run, struct device *from, struct device *to);

// A row of a transfer between two ends, either of which may be NULL, the host.
struct row links_row(const struct run *run, const struct transfer *transfer, const char *direction);

// Sets the columns of the measurement. A one-way bandwidth is compared with the link's peak.
void links_finish_row(struct row *row, const struct measurement *measurement, enum verification verification);

// Settings for one of several measurements that share a point's time.
struct settings links_share(const struct settings *settings, size_t measurements);

#endif
