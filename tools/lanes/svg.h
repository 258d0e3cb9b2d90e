// Requests as pictures in an SVG file.
#ifndef TOOLS_LANES_SVG_H
#define TOOLS_LANES_SVG_H

#include "tools/lanes/output.h"

void svg_write(FILE *file, const struct panel *panels, size_t count);

#endif
