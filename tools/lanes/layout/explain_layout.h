// Finds the layout of a tile that serves every access to it, and shows it.
#ifndef TOOLS_LANES_LAYOUT_EXPLAIN_LAYOUT_H
#define TOOLS_LANES_LAYOUT_EXPLAIN_LAYOUT_H

#include "tools/lanes/arguments.h"
#include "tools/lanes/kernel.h"
#include "tools/lanes/layout/search.h"

// Searches for the layouts that serve a kernel's accesses to an array in shared memory, of which the records of each
// GPU must have some. STATUS_USAGE if they do not fit to the tile. The caller clears the search in any case.
enum status layout_search_recorded(struct layout_search *search, const struct tile *tile, const char *array,
                                   const struct kernel_report *reports, size_t report_count, struct error *error);

enum status explain_layout(const struct arguments *arguments, struct error *error);

#endif
