// The page: one HTML file that needs no other.
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include "report/inputs.h"
#include "report/pictures.h"

struct page {
    const struct inputs *inputs;
    const struct pictures *pictures;
    const char *title;
};

// Write faults stay in the stream: see ferror().
enum status page_write(FILE *file, const struct page *page, struct error *error);

#endif
