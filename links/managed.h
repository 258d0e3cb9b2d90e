// Managed memory, whose pages the driver moves between the host and a device: what a kernel or the host's threads get
// of it while the pages move, or although they stay.
#ifndef LINKS_MANAGED_H
#define LINKS_MANAGED_H

#include "bench/probe.h"

// Rows for both directions; for new pages, which cross no link, one.
enum status links_measure_managed(struct run *run, const struct point *point, struct error *error);

#endif
