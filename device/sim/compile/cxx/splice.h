// Puts the headers beside a kernel's file into its text, so that what they hold for the host is passed over too.
#ifndef DEVICE_SIM_COMPILE_CXX_SPLICE_H
#define DEVICE_SIM_COMPILE_CXX_SPLICE_H

#include <stddef.h>

// Returns the text with each `#include "name"` of a readable file replaced by the file, once, and by #line, which keeps
// files and lines. The caller frees the text; NULL if memory runs out.
char *cxx_splice(const char *file_name, const char *text);

// The file and line of a place in such a text, as "file:12"; returns place_text.
char *cxx_place_text(const char *file_name, const char *text, const char *place, char *place_text, size_t size);

#endif
