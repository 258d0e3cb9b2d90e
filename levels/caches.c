#include "levels/caches.h"

#include <string.h>

#include "device/cpu/data_caches.h"

static void add(struct caches *caches, struct cache cache) {
    if (cache.bytes > 0 && caches->count < CACHES_MAX) {
        caches->levels[caches->count++] = cache;
    }
}

static struct caches of_cpu(void) {
    static const char *const names[] = {"", "L1", "L2", "L3", "L4"};
    struct caches caches = {0};
    struct cpu_cache levels[CPU_CACHES_MAX];
    const size_t count = cpu_data_caches(levels);
    for (size_t i = 0; i < count; i++) {
        const struct cpu_cache *level = &levels[i];
        add(&caches, (struct cache){names[level->level], level->bytes, level->line_bytes, level->sharers});
    }
    return caches;
}

static struct caches of_gpu(const struct gpu *gpu) {
    struct caches caches = {0};
    add(&caches, (struct cache){"L1", gpu->l1_bytes, gpu->line_bytes, 1});
    if (gpu->l2_parts > 1 && !gpu->l2_private) { // the other part's data, too, is kept in the near one
        add(&caches, (struct cache){"near L2", gpu->l2_bytes / gpu->l2_parts, gpu->line_bytes, 1});
    }
    add(&caches,
        (struct cache){"L2", gpu->l2_private ? gpu->l2_bytes / gpu->l2_parts : gpu->l2_bytes, gpu->line_bytes, 0});
    if (gpu->last_level_cache_bytes > gpu->l2_bytes) {
        add(&caches, (struct cache){"L3", gpu->last_level_cache_bytes, 0, 0}); // AMD's Infinity Cache
    }
    return caches;
}

struct caches caches_of(const struct device_info *info) {
    if (device_is_cpu(info)) {
        return of_cpu();
    }
    return info->gpu ? of_gpu(info->gpu) : (struct caches){0};
}

const char *caches_level_of_units(const struct caches *caches, double unit_bytes, uint32_t units, bool past_first) {
    for (size_t i = past_first; i < caches->count; i++) {
        const struct cache *cache = &caches->levels[i];
        if (units > 1 && strcmp(cache->name, "near L2") == 0) {
            continue; // each part is near to some of them
        }
        const uint32_t sharers = cache->sharers > 0 && cache->sharers < units ? cache->sharers : units;
        if (unit_bytes * sharers <= (double)cache->bytes) {
            return cache->name;
        }
    }
    return caches->count ? "memory" : "";
}

const char *caches_level(const struct caches *caches, uint64_t footprint_bytes) {
    return caches_level_of_units(caches, (double)footprint_bytes, 1, false);
}
