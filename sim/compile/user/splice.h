// Puts a kernel's file and the headers beside it into one text, from which what only the host needs can be left out.
#ifndef SIM_COMPILE_USER_SPLICE_H
#define SIM_COMPILE_USER_SPLICE_H

#include <stdbool.h>
#include <stddef.h>

#include "device/launch.h"

// Which headers a compiler may include: those of C and C++ that kernels use, and others.
struct user_headers {
    bool all;                         // it compiles for the host, too
    const struct kernel_header *list; // no others than these; NULL: all but C++'s, if they are here
};

// Returns the text with each `#include "name"` of a file beside it replaced by that file, once, and by #line, which
// keeps files and lines. A header that is not here is passed over, and so are those that the compiler has no use for.
// The caller frees the text; NULL if memory runs out.
char *user_splice(const char *file_name, const char *text, const struct user_headers *headers);

// The line of that file in such a text; NULL if the file is no part of it, such as one of the compiler's headers.
const char *user_place_find(const char *text, const char *file, size_t file_length, unsigned line);

#endif
