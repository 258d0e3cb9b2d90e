// The two tasks of lanes, from the command line to the output.
#ifndef LANES_EXPLAIN_H
#define LANES_EXPLAIN_H

#include "lanes/arguments.h"

// Shows the requests of a pattern or a file, as pictures, SVG or CSV.
enum status explain_requests(const struct arguments *arguments, struct error *error);

// Shows a kernel line by line, as annotated source or CSV.
enum status explain_kernel(const struct arguments *arguments, struct error *error);

#endif
