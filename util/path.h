// Names of files with their links resolved.
#ifndef UTIL_PATH_H
#define UTIL_PATH_H

#include <limits.h>
#include <stdbool.h>

// The name without links, also of a file that is not there yet but whose folder is; false, with errno, where there can
// be none.
bool path_resolve(const char *path, char resolved[PATH_MAX]);

#endif
