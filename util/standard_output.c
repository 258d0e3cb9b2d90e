#include "util/standard_output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool standard_output_is(const char *path) {
    return path && strcmp(path, "-") == 0;
}

enum status standard_output_finish(struct error *error) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_FAILED,
                     "standard output: not written completely (%s): free some space, or redirect the output",
                     errno ? strerror(errno) : "a write failed before");
}
