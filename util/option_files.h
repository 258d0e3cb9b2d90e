// The files that a command line names. Each may serve one purpose only.
#ifndef UTIL_OPTION_FILES_H
#define UTIL_OPTION_FILES_H

#include "util/options.h"

// A row and the variable that its value is in.
struct bound_option {
    const struct option_row *row;
    void *target;
};

// Refuses a file that is written and named twice, by whatever names and links, and - where it stands for no stream.
enum status option_files_check(const struct bound_option *options, size_t count, struct error *error);

#endif
