// The page: one HTML file that needs no other.
#ifndef TOOLS_REPORT_PAGE_H
#define TOOLS_REPORT_PAGE_H

#include <stdio.h>

#include "tools/report/table.h"

struct page {
    const struct inputs *inputs;
    const char *title;
};

// Writes a struct page, as print_file (util/file.h) calls it.
void page_write(FILE *file, const void *page);

#endif
