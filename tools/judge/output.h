// The verdict on a fleet as lines for people, as CSV, as JUnit's XML for a continuous integration, and as a page.
#ifndef TOOLS_JUDGE_OUTPUT_H
#define TOOLS_JUDGE_OUTPUT_H

#include <stdio.h>

#include "tools/judge/verdict.h"

// A line for each GPU with something wrong, and a summary. few_matter: nothing but the fleet itself judges it. Returns
// how many GPUs there are with something wrong.
size_t output_lines(FILE *out, const struct verdict *verdict, bool few_matter);

// These print a struct verdict, as print_file (util/file.h) calls them.

// Each row that stands out. longer_pct: how much longer the work took than expected, also where the figure is a rate.
void output_csv(FILE *out, const void *verdict);

// A test case for each GPU or node.
void output_junit(FILE *out, const void *verdict);

// A page for a browser, in one file: hosts by variants as a heat map, how the GPUs' times are distributed, and what
// stands out. The verdict has a heat map.
void output_page(FILE *out, const void *verdict);

#endif
