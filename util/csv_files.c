#include "util/csv_files.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

void csv_files_find(glob_t *files, const char *folder) {
    char pattern[PATH_MAX];
    *files = (glob_t){0};
    if (make_pattern(pattern, folder, "/*.csv")) {
        glob(pattern, 0, NULL, files);
    }
    if (make_pattern(pattern, folder, "/*/*.csv")) {
        glob(pattern, GLOB_APPEND, NULL, files);
    }
}
