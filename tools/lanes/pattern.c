#include "tools/lanes/pattern.h"

void pattern_request(const struct pattern *pattern, uint32_t warp_width, struct request *request) {
    request->active = 0;
    for (uint32_t lane = 0; lane < warp_width && lane < pattern->block_x * pattern->block_y; lane++) {
        uint64_t x = lane % pattern->block_x, y = lane / pattern->block_x;
        uint64_t row = pattern->by_column ? x : y, column = pattern->by_column ? y : x;
        uint64_t place = pattern->swizzled ? column ^ (row % pattern->pitch) : column;
        uint64_t element = row * pattern->pitch + place;
        request->active |= UINT64_C(1) << lane;
        request->address[lane] = (element * pattern->stride + pattern->offset) * request->width_bytes;
    }
}
