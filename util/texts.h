// Keeps many short texts until all of them are freed together.
#ifndef UTIL_TEXTS_H
#define UTIL_TEXTS_H

#include <stddef.h>

struct texts {
    struct text_block *newest;
    size_t used; // of it
};

// A copy of the first `length` characters; NULL if memory ran out.
const char *texts_keep(struct texts *texts, const char *text, size_t length);
void texts_clear(struct texts *texts);

#endif
