// Numbers for texts: equal texts have one number, counted from 0 in the order in which they first came.
#ifndef UTIL_NAMES_H
#define UTIL_NAMES_H

#include <stddef.h>

struct names {
    char **texts; // by number
    size_t count;
    size_t *slots, slot_count; // a hash table of numbers + 1
};

size_t names_number(struct names *names, const char *text);

// The same of a text that need not be among them: names->count if it is not.
size_t names_find(const struct names *names, const char *text);
void names_clear(struct names *names);

#endif
