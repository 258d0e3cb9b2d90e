#include "lanes/pattern.h"

#include <ctype.h>
#include <stdlib.h>

enum {
    BLOCK_THREADS_MAX = 1024
};

// A number of 1 to 1024 at *text, which moves behind it; 0 if there is none.
static uint32_t parse_extent(const char **text) {
    if (!isdigit((unsigned char)**text))
        return 0;
    char *end;
    unsigned long value = strtoul(*text, &end, 10);
    *text = end;
    return value <= BLOCK_THREADS_MAX ? (uint32_t)value : 0;
}

enum status pattern_parse_block(struct pattern *pattern, const char *text, struct error *error) {
    const char *at = text;
    pattern->block_x = parse_extent(&at);
    pattern->block_y = 1;
    if (*at == 'x') {
        at++;
        pattern->block_y = parse_extent(&at);
    }
    uint32_t threads = pattern->block_x * pattern->block_y;
    if (*at || threads == 0 || threads > BLOCK_THREADS_MAX)
        return error_set(error, STATUS_USAGE, "--block %.100s: no block: give X or XxY, 1 to %d threads in all", text,
                         BLOCK_THREADS_MAX);
    return STATUS_OK;
}

void pattern_request(const struct pattern *pattern, uint32_t warp_width, struct request *request) {
    request->active = 0;
    for (uint32_t lane = 0; lane < warp_width && lane < pattern->block_x * pattern->block_y; lane++) {
        uint64_t x = lane % pattern->block_x, y = lane / pattern->block_x;
        uint64_t element = pattern->by_column ? x * pattern->pitch + y : y * pattern->pitch + x;
        request->active |= UINT64_C(1) << lane;
        request->address[lane] = (element * pattern->stride + pattern->offset) * request->width_bytes;
    }
}
