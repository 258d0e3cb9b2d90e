// The abilities of the terminal behind a stream.
#ifndef UTIL_TERMINAL_H
#define UTIL_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#define TERMINAL_RED "\033[31m"
#define TERMINAL_GREEN "\033[32m"
#define TERMINAL_YELLOW "\033[33m"
#define TERMINAL_PLAIN "\033[0m"

// Whether text may be coloured: the stream is a terminal that has colours, and NO_COLOR is not set
// (https://no-color.org).
bool terminal_has_colour(FILE *stream);

#endif
