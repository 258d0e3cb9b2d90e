// Files that appear under their names only once they are complete.
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

// Writes the pieces one after the other, with all threads, to a file beside path, which is renamed to path once it is
// complete. After a fault, or a signal that ends the process, nothing is left behind and path stays as it was. A name
// that exists and is no regular file (/dev/null, a pipe) is written to, not replaced.
enum status file_write(const char *path, const struct file_piece *pieces, size_t count, struct error *error);

// STATUS_USAGE where file_write could not write path. Call it before the work whose result the file will hold. NULL
// stands for no file.
enum status file_write_check(const char *path, struct error *error);

// The two halves of file_write, for callers that write the file themselves. The first makes an empty file beside path
// and returns it, or -1 with errno; its name must stay in memory until file_finish. The second gives the file its own
// name, or removes it where fault is not 0, and returns 0 or an errno.
int file_create_beside(const char *path, char name[FILE_NAME_SIZE]);
int file_finish(const char *name, const char *path, int fault);

#endif
