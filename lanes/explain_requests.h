// Shows the requests of a pattern or a file, as pictures, SVG or CSV.
#ifndef LANES_EXPLAIN_REQUESTS_H
#define LANES_EXPLAIN_REQUESTS_H

#include "lanes/arguments.h"

// Shows the requests of a pattern or a file, as pictures, SVG or CSV.
enum status explain_requests(const struct arguments *arguments, struct error *error);

#endif
