#include "util/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_ROOM = 8
};

void *memory_end(void) {
    fprintf(stderr, "%s: out of memory: end other programs, or ask for less\n", program_invocation_short_name);
    exit(1);
}

static void *or_end(void *memory) {
    return memory ? memory : memory_end();
}

void *memory_zeros(size_t count, size_t size) {
    return or_end(calloc(count ? count : 1, size));
}

void *memory_room(void *array, size_t count, size_t size) {
    if (count > 0 && (count < LEAST_ROOM || (count & (count - 1)) != 0)) {
        return array;
    }
    const size_t room = count < LEAST_ROOM ? LEAST_ROOM : 2 * count;
    return or_end(room > SIZE_MAX / size ? NULL : realloc(array, room * size));
}

char *memory_text(const char *text, size_t length) {
    return or_end(strndup(text, length));
}

char *memory_format(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return or_end(length < 0 ? NULL : text);
}
