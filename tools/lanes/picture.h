// Requests as pictures, in the terminal and in an SVG file.
#ifndef TOOLS_LANES_PICTURE_H
#define TOOLS_LANES_PICTURE_H

#include <stdio.h>

#include "tools/lanes/grid.h"

enum {
    PANELS_MAX = 2
};

// One GPU's picture of a request. Two panels are shown side by side.
struct panel {
    const struct gpu *gpu;
    struct request request;
    struct cost cost;
};

// Writes a panel's cost in two lines, and the certainty of its rule, with at most 39 characters each.
enum {
    SUMMARY_LINES = 3,
    SUMMARY_WIDTH = 80
};
void panel_summary(const struct panel *panel, char lines[SUMMARY_LINES][SUMMARY_WIDTH]);

void picture_print(FILE *file, const struct panel *panels, size_t count);

// 800 x 600, and higher by the line above the panels that says what makes the request; `caption` NULL: none.
void svg_write(FILE *file, const struct panel *panels, size_t count, const char *caption);

#endif
