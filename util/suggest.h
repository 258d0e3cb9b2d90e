// Finds the name that was probably meant.
#ifndef UTIL_SUGGEST_H
#define UTIL_SUGGEST_H

#include <stddef.h>

struct suggestion {
    const char *given;
    size_t length;       // of given
    const char *nearest; // NULL: nothing offered is near
    size_t distance;
};

// What was typed: the first `length` characters.
struct suggestion suggestion_for(const char *given, size_t length);

// Keeps the name if it is nearer than those before: letters left out, added, replaced or swapped, at most one in three.
// A name that begins with what was typed is near, too.
void suggestion_offer(struct suggestion *suggestion, const char *name);

#endif
