// Files that appear under their names when they are whole.
#ifndef UTIL_FILE_WRITE_H
#define UTIL_FILE_WRITE_H

#include <limits.h>
#include <stddef.h>

#include "util/error.h"

enum {
    FILE_NAME_SIZE = PATH_MAX + 8 // ".XXXXXX"
};

// A piece of a file that is to be written.
struct file_piece {
    const void *bytes;
    size_t count;
};

// Writes the pieces one behind the other, by all threads, to a file beside path that is renamed to it when it is whole;
// on a fault, or a signal that ends the process, nothing is left behind and path stays as it was. A name that exists
// and is no regular file (/dev/null, a pipe) is written to, not replaced.
enum status file_write(const char *path, const struct file_piece *pieces, size_t count, struct error *error);

// Whether file_write can do so: STATUS_USAGE where not, before the work that the file is for. NULL: there is no file.
enum status file_write_check(const char *path, struct error *error);

// The two halves, for what is written otherwise. An empty file beside path, whose name must stay where it is until
// file_settle; -1 with errno. Then 0, or the number of the error: with no fault the file gets its own name, else it is
// removed.
int file_create_beside(const char *path, char name[FILE_NAME_SIZE]);
int file_settle(const char *name, const char *path, int fault);

#endif
