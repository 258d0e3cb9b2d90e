// The abilities of the terminal behind a stream.
#ifndef UTIL_TERMINAL_H
#define UTIL_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

// Whether text may be coloured: the stream is a terminal that has colours, and NO_COLOR is not set
// (https://no-color.org).
bool terminal_has_colour(FILE *stream);

#endif
