// The page: one HTML file that needs no other.
#ifndef TOOLS_REPORT_PAGE_H
#define TOOLS_REPORT_PAGE_H

#include <stdio.h>

#include "tools/report/inputs.h"

struct page {
    const struct inputs *inputs;
    const char *title;
};

// Write faults stay in the stream: see ferror().
void page_write(FILE *file, const struct page *page);

#endif
