// The two things that lanes does, from the command line to its output.
#ifndef LANES_EXPLAIN_H
#define LANES_EXPLAIN_H

#include "lanes/arguments.h"

// Requests of a pattern or a file: pictures, SVG, CSV.
enum status explain_requests(const struct arguments *arguments, struct error *error);

// A kernel, line by line: annotated source or CSV.
enum status explain_kernel(const struct arguments *arguments, struct error *error);

#endif
