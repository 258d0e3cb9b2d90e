#include "tools/lanes/dimensions.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

// Reads the number at *text and moves *text past it; 0 if there is none or it exceeds 32 bits.
static uint32_t parse_size(const char **text) {
    if (!isdigit((unsigned char)**text)) {
        return 0;
    }
    char *end;
    errno = 0;
    unsigned long long value = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static uint32_t parse_next_size(const char **text) {
    if (**text != 'x') {
        return 1;
    }
    ++*text;
    return parse_size(text);
}

enum status dimensions_parse(struct dimensions *dimensions, const char *name, const char *text, uint64_t max,
                             struct error *error) {
    const char *at = text;
    dimensions->x = parse_size(&at);
    dimensions->y = parse_next_size(&at);
    dimensions->z = parse_next_size(&at);
    bool positive = dimensions->x && dimensions->y && dimensions->z;
    if (*at || !positive || dimensions->x > max || dimensions->y > max / dimensions->x ||
        dimensions->z > max / dimensions->x / dimensions->y) {
        return error_set(error, STATUS_USAGE, "%s %.100s: not a size: give X, XxY or XxYxZ, 1 to %" PRIu64 " in all",
                         name, text, max);
    }
    return STATUS_OK;
}
