// Finds the layout of a tile that serves every access to it, and shows it.
#ifndef TOOLS_LANES_LAYOUT_EXPLAIN_LAYOUT_H
#define TOOLS_LANES_LAYOUT_EXPLAIN_LAYOUT_H

#include "tools/lanes/arguments.h"

enum status explain_layout(const struct arguments *arguments, struct error *error);

#endif
