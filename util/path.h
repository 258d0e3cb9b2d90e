// Names of files: links resolved, programs found.
#ifndef UTIL_PATH_H
#define UTIL_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// Resolves all links in a name, also in that of a file that does not exist yet if its folder does. Returns false and
// sets errno if no such file is possible.
bool path_resolve(const char *path, char resolved[PATH_MAX]);

// Writes the path of a program in a folder, which is the first length characters of folder. False if there is none.
bool path_program_in(const char *folder, size_t length, const char *name, char path[PATH_MAX]);

// Finds a command as a shell does: a name with a slash is a path already, and PATH lists the folders of all others.
bool path_find_program(const char *name, char path[PATH_MAX]);

#endif
