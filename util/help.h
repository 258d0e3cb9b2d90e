// What --help prints, the same way for every program, within 80 columns. scripts/manual.awk makes manual pages of it.
#ifndef UTIL_HELP_H
#define UTIL_HELP_H

#include "util/options.h"

// "NAME: SUMMARY", the usage, the options.
void help_begin(const char *program, const char *summary, const char *operands, const struct option_table *tables,
                size_t count);

// Writes an empty line and the text. Each of its lines is a paragraph.
void help_text(const char *text);

#endif
