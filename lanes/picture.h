// Requests as pictures in the terminal.
#ifndef LANES_PICTURE_H
#define LANES_PICTURE_H

#include "lanes/output.h"

void picture_print(FILE *file, const struct panel *panels, size_t count);

#endif
