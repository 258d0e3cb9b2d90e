// Text within HTML and XML.
#ifndef UTIL_MARKUP_H
#define UTIL_MARKUP_H

#include <stdio.h>

// Text, also within quotes. A control character becomes a blank, because XML has none, not even as a reference.
void markup_text(FILE *out, const char *text);

// JSON within a script element: a '<' could end it, and stands only in strings.
void markup_json(FILE *out, const char *json);

#endif
