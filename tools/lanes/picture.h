// Requests as pictures, in the terminal and in an SVG file.
#ifndef TOOLS_LANES_PICTURE_H
#define TOOLS_LANES_PICTURE_H

#include "tools/lanes/output.h"

void picture_print(FILE *file, const struct panel *panels, size_t count);

void svg_write(FILE *file, const struct panel *panels, size_t count);

#endif
