// A fleet as a page for a browser, in one file: hosts by variants as a heat map, how the GPUs' times are distributed,
// and what stands out.
#ifndef TOOLS_JUDGE_FLEET_PAGE_H
#define TOOLS_JUDGE_FLEET_PAGE_H

#include <stdio.h>

#include "tools/judge/heat.h"
#include "tools/judge/verdict.h"

struct fleet_page {
    const struct verdict *verdict;
    const struct heat *heat;
    const char *folder; // as the user named it
    uint64_t rows;
};

void fleet_page_write(FILE *out, const struct fleet_page *page);

#endif
