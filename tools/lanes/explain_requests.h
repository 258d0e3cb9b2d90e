// Shows the requests of a pattern or a file, as pictures, SVG or CSV.
#ifndef TOOLS_LANES_EXPLAIN_REQUESTS_H
#define TOOLS_LANES_EXPLAIN_REQUESTS_H

#include "tools/lanes/arguments.h"

// Shows the requests of a pattern or a file, as pictures, SVG or CSV.
enum status explain_requests(const struct arguments *arguments, struct error *error);

#endif
