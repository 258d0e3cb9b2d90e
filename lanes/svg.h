// Requests as pictures in an SVG file.
#ifndef LANES_SVG_H
#define LANES_SVG_H

#include "lanes/output.h"

void svg_write(FILE *file, const struct panel *panels, size_t count);

#endif
