// Sets of lines, of which the least recently used one makes room, for models that follow launches load by load.
#ifndef MODEL_LINE_SET_H
#define MODEL_LINE_SET_H

#include <stdint.h>

struct set_line {
    uint64_t name;      // of what it holds, from 1; 0: nothing
    double used, ready; // when it was asked for last, and when it arrives from elsewhere
};

uint64_t line_hash(uint64_t name);

// The line of this name, or the one of its set that makes room. A hash chooses the set.
struct set_line *set_line_find(struct set_line *lines, uint32_t sets, uint32_t ways, uint64_t name);

#endif
