#include "model/line_set.h"

#include <stdbool.h>

// A multiply-xorshift, as mix64 of util/random.h is. The figures of docs/validation.md are by this one: another hash
// moves those where chance decides.
uint64_t line_hash(uint64_t name) {
    name = (name ^ name >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    name = (name ^ name >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return name ^ name >> 32;
}

struct set_line *set_line_find(struct set_line *lines, uint32_t sets, uint32_t ways, uint64_t name) {
    struct set_line *set = lines + line_hash(name) % sets * ways;
    uint32_t found = ways, oldest = 0;
    for (uint32_t way = 0; way < ways; way++) { // without a branch, as which way it is cannot be guessed
        found = set[way].name == name ? way : found;
    }
    if (found < ways) {
        return &set[found];
    }
    double used = set[0].used;
    for (uint32_t way = 1; way < ways; way++) {
        const bool older = set[way].used < used;
        oldest = older ? way : oldest;
        used = older ? set[way].used : used;
    }
    return &set[oldest];
}
