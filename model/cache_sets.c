#include "model/cache_sets.h"

enum {
    GROUPS_MAX = 32 // bits of short_groups
};

uint64_t cache_sets_hold(const struct cache_sets *sets, uint64_t bytes, uint32_t line_bytes) {
    uint64_t held[GROUPS_MAX] = {0}, at = 0;
    if (sets->groups == 0) {
        return bytes;
    }
    for (; at < bytes; at += line_bytes) {
        const uint64_t group = cache_sets_group(sets, at);
        if (held[group]++ == cache_sets_room(sets, bytes / line_bytes, group)) {
            return at;
        }
    }
    return bytes;
}
