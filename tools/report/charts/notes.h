// What is left out of the charts, and why.
#ifndef TOOLS_REPORT_CHARTS_NOTES_H
#define TOOLS_REPORT_CHARTS_NOTES_H

#include "tools/report/charts/chart.h"

struct note {
    char *chart, *text;
};

struct notes {
    struct note *notes;
    size_t count;
};

// Takes the text, which is freed with the notes.
void notes_add(struct notes *notes, const struct chart *chart, char *text);
void notes_clear(struct notes *notes);

#endif
