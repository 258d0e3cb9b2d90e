// Writes CSV after RFC 4180.
#ifndef UTIL_CSV_WRITE_H
#define UTIL_CSV_WRITE_H

#include <stdio.h>

// A field without the comma or the line's end behind it. One with a comma, a quote or a line break is quoted.
void csv_write_field(FILE *file, const char *text);

#endif
