// Requests as pictures in the terminal.
#ifndef TOOLS_LANES_PICTURE_H
#define TOOLS_LANES_PICTURE_H

#include "tools/lanes/output.h"

void picture_print(FILE *file, const struct panel *panels, size_t count);

#endif
