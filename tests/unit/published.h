// Reads results/published/ for tests: one cmocka test per row.
#ifndef TESTS_UNIT_PUBLISHED_H
#define TESTS_UNIT_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PUBLISHED_COLUMNS_MAX = 8
};

// Makes a row of the caller's type from a line's fields; returns false if they are not understood.
typedef bool published_parse(char *fields[], size_t count, void *row);

// Splits a line at its commas, in place; returns how many fields.
static inline size_t published_split(char *line, char *fields[PUBLISHED_COLUMNS_MAX]) {
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && count < PUBLISHED_COLUMNS_MAX; count++) {
        fields[count] = at;
        at = strchr(at, ',');
        if (at) {
            *at++ = '\0';
        }
    }
    return count;
}

// The next line that is no comment; false: there is none.
static inline bool published_line(FILE *file, char *line, int room) {
    bool read;
    do {
        read = fgets(line, room, file);
    } while (read && line[0] == '#');
    return read;
}

// Reads the rows after the header into an array for `room` rows of row_bytes, and returns their number. A missing or
// malformed file ends the program, so that no test passes without its figures.
static inline size_t published_read(const char *path, published_parse *parse, void *rows, size_t row_bytes,
                                    size_t room) {
    FILE *file = fopen(path, "r");
    char line[512], *fields[PUBLISHED_COLUMNS_MAX];
    size_t count = 0;
    if (!file || !published_line(file, line, sizeof line)) {
        fprintf(stderr, "%s: cannot be read: run the test in the repository's folder\n", path);
        exit(1);
    }
    for (; published_line(file, line, sizeof line); count++) {
        if (count == room || !parse(fields, published_split(line, fields), (char *)rows + count * row_bytes)) {
            fprintf(stderr, "%s: row %zu is not understood\n", path, count + 1);
            exit(1);
        }
    }
    fclose(file);
    return count;
}

#endif
