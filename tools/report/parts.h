// The files that the program contains: what the page consists of, and the list of charts with its captions. The
// Makefile lists them (REPORT_PARTS).
#ifndef TOOLS_REPORT_PARTS_H
#define TOOLS_REPORT_PARTS_H

#include <stdbool.h>
#include <stddef.h>

struct part {
    const char *path; // ends with '\n'
    size_t path_length;
    const char *text;
    size_t length;
};

// Sets *part to the next one whose path begins and ends like this; the first one if part->path is NULL. False if there
// is none.
bool part_next(struct part *part, const char *beginning, const char *end);

// The text of a file, to be freed. The file must be there.
char *part_text(const char *path);

#endif
