// Names of files with their links resolved.
#ifndef UTIL_PATH_H
#define UTIL_PATH_H

#include <limits.h>
#include <stdbool.h>

// Resolves all links in a name, also in that of a file that does not exist yet if its folder does. Returns false and
// sets errno if no such file is possible.
bool path_resolve(const char *path, char resolved[PATH_MAX]);

#endif
