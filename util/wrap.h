// Wraps text to lines for a terminal of 80 columns.
#ifndef UTIL_WRAP_H
#define UTIL_WRAP_H

#include <stdio.h>

enum {
    WRAP_WIDTH = 79
};

// Writes the words of the text from this column on, broken between words and at each newline; further lines begin at
// `indent`. A word that is longer than a line is broken after a comma. Returns the column where the last line ends.
int wrap_text(FILE *file, const char *text, int column, int indent);

#endif
