#include "device/sim/cache/cache.h"

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
    const struct cache_sets *of = &cache->of;
    const uint64_t number = place / (of->place_bytes ? of->place_bytes : cache->line_bytes);
    return (of->hashed ? hash(number) : number) % cache->sets;
}

bool sim_cache_access(struct sim_cache *cache, uint64_t address) {
    return sim_cache_access_at(cache, address, address);
}

bool sim_cache_access_at(struct sim_cache *cache, uint64_t place, uint64_t address) {
    if (!cache->lines) {
        return false;
    }
    const uint64_t line = address / cache->line_bytes + 1;
    const uint64_t set = set_of(cache, place);
    const bool is_short = set < 32 && (cache->of.short_sets >> set & 1);
    const uint32_t ways = cache->of.ways - (is_short ? cache->of.short_lines : 0);
    uint64_t *lines = cache->lines + set * cache->of.ways;
    uint32_t way = 0;
    while (way < ways - 1 && lines[way] != line) {
        way++;
    }
    const bool found = lines[way] == line;
    memmove(lines + 1, lines, way * sizeof *lines);
    lines[0] = line;
    return found;
}
