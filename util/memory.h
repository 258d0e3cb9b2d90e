// Memory for what is small. Where there is none left, the program ends with one line and status 1, so that no caller
// has to.
#ifndef UTIL_MEMORY_H
#define UTIL_MEMORY_H

#include <stddef.h>

// Ends the program because memory ran out. It has a type so that it can stand for what is missing.
void *memory_end(void) __attribute__((noreturn));

// An array of zeros, to be freed; never NULL.
void *memory_zeros(size_t count, size_t size);

// Makes room for one more element of an array of `count`, which may move: items = memory_room(items, n, sizeof *items).
// The room doubles at each power of two, so no capacity has to be kept.
void *memory_room(void *array, size_t count, size_t size);

// A copy of the first `length` characters, to be freed.
char *memory_text(const char *text, size_t length);

// A text as printf would print it, to be freed.
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
