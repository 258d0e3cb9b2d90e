#include "util/csv_files.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Escapes what glob() would take for a pattern.
static bool make_pattern(char pattern[PATH_MAX], const char *folder, const char *files) {
    size_t length = 0;
    for (; *folder && length + 2 < PATH_MAX; folder++) {
        if (strchr("\\*?[", *folder)) {
            pattern[length++] = '\\';
        }
        pattern[length++] = *folder;
    }
    return !*folder && (size_t)snprintf(pattern + length, PATH_MAX - length, "%s", files) < PATH_MAX - length;
}

// A folder comes before those whose names go on after its own: h200, then h200-x2.
static int compare_paths(const void *left, const void *right) {
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    for (; *a && *a == *b; a++, b++) {
    }
    const int first = *a == '/' ? 0 : (unsigned char)*a, second = *b == '/' ? 0 : (unsigned char)*b;
    return (first > second) - (first < second);
}

static void find_files(glob_t *files, const char *folder) {
    char pattern[PATH_MAX];
    *files = (glob_t){0};
    if (make_pattern(pattern, folder, "/*.csv")) {
        glob(pattern, 0, NULL, files);
    }
    const size_t own = files->gl_pathc;
    if (make_pattern(pattern, folder, "/*/*.csv")) {
        glob(pattern, GLOB_APPEND, NULL, files);
    }
    if (files->gl_pathc > own) {
        qsort(files->gl_pathv + own, files->gl_pathc - own, sizeof *files->gl_pathv, compare_paths);
    }
}

static enum status read_folder(const char *path, csv_file_reader *read, void *context, size_t *foreign_count,
                               struct error *error) {
    glob_t files;
    enum status status = STATUS_OK;
    find_files(&files, path);
    for (size_t i = 0; i < files.gl_pathc && status == STATUS_OK; i++) {
        bool foreign = false;
        status = read(context, files.gl_pathv[i], &foreign, error);
        if (foreign) {
            (*foreign_count)++;
            status = STATUS_OK;
        }
    }
    globfree(&files);
    return status;
}

enum status csv_files_read(const char *path, csv_file_reader *read, void *context, size_t *foreign_count,
                           struct error *error) {
    struct stat info;
    bool foreign = false;
    *foreign_count = 0;
    if (stat(path, &info) != 0) {
        return error_set(error, STATUS_USAGE, "%s: cannot be read: %s", path, strerror(errno));
    }
    return S_ISDIR(info.st_mode) ? read_folder(path, read, context, foreign_count, error)
                                 : read(context, path, &foreign, error);
}
