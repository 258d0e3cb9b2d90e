#include "sim/cache/cache.h"

#include <stdlib.h>
#include <string.h>

enum status sim_cache_create(struct sim_cache *cache, uint64_t bytes, uint32_t line_bytes, struct cache_sets sets,
                             struct error *error) {
    *cache = (struct sim_cache){.line_bytes = line_bytes, .of = sets};
    if (bytes == 0) {
        return STATUS_OK;
    }
    cache->sets = bytes / line_bytes / sets.ways;
    cache->lines = calloc(cache->sets * sets.ways, sizeof *cache->lines);
    return cache->lines ? STATUS_OK : error_set(error, STATUS_FAILED, "no memory to simulate the caches");
}

void sim_cache_destroy(struct sim_cache *cache) {
    free(cache->lines);
    *cache = (struct sim_cache){0};
}

void sim_cache_clear(struct sim_cache *cache) {
    if (cache->lines) {
        memset(cache->lines, 0, cache->sets * cache->of.ways * sizeof *cache->lines);
    }
}

// The finalizer of MurmurHash3.
static uint64_t hash(uint64_t line) {
    line = (line ^ line >> 33) * UINT64_C(0xff51afd7ed558ccd);
    line = (line ^ line >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return line ^ line >> 33;
}

static uint64_t set_of(const struct sim_cache *cache, uint64_t place) {
    const uint64_t number = place / cache->line_bytes;
    return (cache->of.hashed ? hash(number) : number) % cache->sets;
}

static struct sim_cache_line *lines_of(const struct sim_cache *cache, uint64_t set) {
    return cache->lines + set * cache->of.ways;
}

// The line, or else a free or the least recently used one of the set.
static struct sim_cache_line *find(const struct sim_cache *cache, uint64_t set, uint64_t number) {
    struct sim_cache_line *lines = lines_of(cache, set), *oldest = lines;
    for (uint32_t way = 0; way < cache->of.ways; way++) {
        if (lines[way].number == number) {
            return &lines[way];
        }
        oldest = lines[way].used < oldest->used ? &lines[way] : oldest;
    }
    return oldest;
}

// Before a free line of a group is taken: frees the least recently used one if the group has no room for more.
static void make_room(const struct sim_cache *cache, uint64_t group) {
    const struct cache_sets *of = &cache->of;
    const uint64_t neighbours = of->group_bytes / cache->line_bytes, step = neighbours * of->groups;
    struct sim_cache_line *oldest = NULL;
    uint64_t held = 0;
    for (uint64_t set = group * neighbours; set < cache->sets; set += step) {
        struct sim_cache_line *lines = lines_of(cache, set);
        for (uint64_t i = 0; i < neighbours * of->ways; i++) {
            held += lines[i].number > 0;
            if (lines[i].number > 0 && (!oldest || lines[i].used < oldest->used)) {
                oldest = &lines[i];
            }
        }
    }
    if (oldest && held >= cache_sets_room(of, cache->sets * of->ways, group)) {
        *oldest = (struct sim_cache_line){0};
    }
}

bool sim_cache_access(struct sim_cache *cache, uint64_t address) {
    return sim_cache_access_at(cache, address, address);
}

bool sim_cache_access_at(struct sim_cache *cache, uint64_t place, uint64_t address) {
    if (!cache->lines) {
        return false;
    }
    const uint64_t number = address / cache->line_bytes + 1, set = set_of(cache, place);
    struct sim_cache_line *line = find(cache, set, number);
    const bool found = line->number == number;
    if (line->number == 0 && cache->of.groups > 0) {
        make_room(cache, cache_sets_group(&cache->of, place));
    }
    *line = (struct sim_cache_line){.number = number, .used = ++cache->accesses};
    return found;
}
