#include "levels/caches.h"

#include <math.h>
#include <string.h>

static void add(struct caches *caches, struct cache cache) {
    if (cache.bytes > 0 && caches->count < CACHES_MAX) {
        caches->levels[caches->count++] = cache;
    }
}

static struct caches of_cpu(const struct device_info *info) {
    static const char *const names[] = {"", "L1", "L2", "L3", "L4"};
    struct caches caches = {0};
    for (size_t i = 0; i < info->data_cache_count; i++) {
        const struct data_cache *level = &info->data_caches[i];
        add(&caches, (struct cache){names[level->level], level->bytes, level->line_bytes, level->sharers,
                                    level->allowed_sharers, level->ways});
    }
    return caches;
}

static struct caches of_gpu(const struct gpu *gpu) {
    struct caches caches = {0};
    add(&caches, (struct cache){"L1", gpu->l1_bytes, gpu->line_bytes, 1, 0, 0});
    if (gpu->l2_parts > 1 && !gpu->l2_private) { // the near part also keeps copies of the far part's data
        add(&caches, (struct cache){"near L2", gpu->l2_bytes / gpu->l2_parts, gpu->line_bytes, 0, 0, 0});
    }
    add(&caches, (struct cache){"L2", gpu->l2_private ? gpu->l2_bytes / gpu->l2_parts : gpu->l2_bytes, gpu->line_bytes,
                                0, 0, 0});
    if (gpu->last_level_cache_bytes > gpu->l2_bytes) {
        add(&caches, (struct cache){"L3", gpu->last_level_cache_bytes, 0, 0, 0, 0}); // AMD's Infinity Cache
    }
    return caches;
}

struct caches caches_of(const struct device_info *info) {
    if (device_is_cpu(info)) {
        return of_cpu(info);
    }
    return info->gpu ? of_gpu(info->gpu) : (struct caches){0};
}

// A level holds a footprint only if a quarter of the level stays free, because the program's other data and lines that
// share a set take space.
static const double HELD = 0.75;
// A footprint this many times larger than a level gets no hits. With random accesses, a cache that replaces lines at
// random keeps 2 % of four times its size. With streamed accesses it may keep more: of four times its L2 an H200 finds
// 6 % there, of 8 times 0.2 %.
static const double PASSED = 4, PASSED_STREAMED = 8;

// The footprint of all sharers together, as a multiple of the cache's size.
static double filled(const struct cache *cache, const struct footprint *footprint) {
    const uint32_t units = footprint->units;
    const uint32_t sharers = cache->sharers > 0 && cache->sharers < units ? cache->sharers : units;
    return footprint->unit_bytes * sharers / (double)cache->bytes;
}

// Lines that are not copied stay in the part they belong to, and that is near to some of the units only.
static bool is_passed_by(const struct cache *cache, const struct footprint *footprint) {
    return strcmp(cache->name, "near L2") == 0 && !footprint->copied_near;
}

struct answer caches_answer(const struct device_info *info, const struct footprint *footprint) {
    const struct caches caches = caches_of(info);
    const double passed = footprint->streamed ? PASSED_STREAMED : PASSED;
    struct answer answer = {.level = caches.count ? "memory" : "", .memory_share = 1};
    for (size_t i = footprint->past_first; i < caches.count; i++) {
        const struct cache *cache = &caches.levels[i];
        const double times = filled(cache, footprint);
        if (is_passed_by(cache, footprint)) {
            continue;
        }
        answer.memory_share = fmax(0, 1 - 1 / times);
        if (times <= HELD) {
            return (struct answer){.level = answer.mixed ? "" : cache->name, .mixed = answer.mixed};
        }
        answer.mixed |= times < passed;
    }
    answer.level = answer.mixed ? "" : answer.level;
    return answer;
}
