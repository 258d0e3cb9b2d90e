// Files: their names resolved, programs found, and results that appear under their names only once they are complete.
#ifndef UTIL_FILE_H
#define UTIL_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/error.h"

// ---- Names of files ----

// Resolves all links in a name, also in that of a file that does not exist yet if its folder does. Returns false and
// sets errno if no such file is possible.
bool path_resolve(const char *path, char resolved[PATH_MAX]);

// Writes the path of a program in a folder, which is the first length characters of folder. False if there is none.
bool path_program_in(const char *folder, size_t length, const char *name, char path[PATH_MAX]);

// Finds a command as a shell does: a name with a slash is a path already, and PATH lists the folders of all others.
bool path_find_program(const char *name, char path[PATH_MAX]);

// ---- Files that appear once they are complete ----

enum {
    FILE_NAME_SIZE = PATH_MAX + 8 // ".XXXXXX"
};

// A piece of a file that is to be written.
struct file_piece {
    const void *bytes;
    size_t count;
};

// Writes the pieces one after the other, with all threads, to a file beside path, which is renamed to path once it is
// complete. After a fault, or a signal that ends the process, no other file is left and path stays as it was. A name
// that exists and is no regular file (/dev/null, a pipe) is written to, not replaced.
enum status file_write(const char *path, const struct file_piece *pieces, size_t count, struct error *error);

// Sets the error of a file that cannot be written: why by fault, an errno, and what to do. Returns status.
enum status file_cannot_write(const char *path, enum status status, int fault, struct error *error);

// STATUS_USAGE where file_write could not write path. Call it before the work whose result the file will hold. NULL
// stands for no file, and "-" for standard output.
enum status file_write_check(const char *path, struct error *error);

// The two halves, for a file that is written in another way. The draft must stay where it is between them.
struct file_draft {
    char path[PATH_MAX];       // the file that it becomes, with links resolved
    char name[FILE_NAME_SIZE]; // the file beside it; empty: the file is written in place
};

// Creates an empty file beside `path`. Sets *file to its descriptor, or to -1 where `path` must be written in place.
// Returns 0, or an errno.
int file_draft_create(struct file_draft *draft, const char *path, int *file);

// Gives the file its name if fault is 0, and removes it otherwise. Returns 0, or the errno of the fault.
int file_draft_finish(struct file_draft *draft, int fault);

// ---- A whole text ----

// `print` writes the text to the stream; a path of "-" stands for standard output, NULL for nothing to do. The file
// appears under its name only once it is complete.
enum status print_file(const char *path, void (*print)(FILE *out, const void *context), const void *context,
                       struct error *error);

#endif
