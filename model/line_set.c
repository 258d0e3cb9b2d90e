#include "model/line_set.h"

// A multiply-xorshift, as mix64 of util/random.h is. The figures of docs/validation.md are by this one: another hash
// moves those where chance decides.
uint64_t line_hash(uint64_t name) {
    name = (name ^ name >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    name = (name ^ name >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return name ^ name >> 32;
}

struct set_line *set_line_find(struct set_line *lines, uint32_t sets, uint32_t ways, uint64_t name) {
    struct set_line *set = lines + line_hash(name) % sets * ways, *found = set;
    for (uint32_t way = 0; way < ways; way++) {
        if (set[way].name == name) {
            return &set[way];
        }
        found = set[way].used < found->used ? &set[way] : found;
    }
    return found;
}
