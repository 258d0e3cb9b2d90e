// The page: one HTML file that needs no other.
#ifndef TOOLS_REPORT_PAGE_H
#define TOOLS_REPORT_PAGE_H

#include <stdio.h>

#include "tools/report/inputs.h"
#include "util/json_writer.h"

// The page: one HTML file that needs no other.

struct page {
    const struct inputs *inputs;
    const char *title;
};

// Write faults stay in the stream: see ferror().
enum status page_write(FILE *file, const struct page *page, struct error *error);

#endif
