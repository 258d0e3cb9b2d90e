// How to read each chart: plots/README.md.
#ifndef REPORT_CAPTIONS_H
#define REPORT_CAPTIONS_H

#include <stddef.h>

// The sentences about a chart in the page `readme`, in Markdown, to be freed: from its bold name to the next bold name
// that begins a sentence, or to the end of the paragraph. NULL if there are none, or memory ran out.
char *caption_of(const char *readme, const char *chart);

// The heading above them, to be freed; NULL likewise.
char *caption_heading(const char *readme, const char *chart);

// Where they begin in the page, which is the order of the charts.
size_t caption_place(const char *readme, const char *chart);

#endif
