// The files that a command line names. Each may serve one purpose only.
#ifndef UTIL_OPTION_FILES_H
#define UTIL_OPTION_FILES_H

#include "util/options.h"

// A row and the variable that holds its value.
struct bound_option {
    const struct option_row *row;
    void *target;
};

// Refuses a file that is written and named a second time, even by another name or a link, and "-" where an option takes
// no stream.
enum status option_files_check(const struct bound_option *options, size_t count, struct error *error);

#endif
