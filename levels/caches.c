#include "levels/caches.h"

#include "device/cpu/data_caches.h"

static void add(struct caches *caches, const char *name, uint64_t bytes, uint32_t line_bytes) {
    if (bytes > 0 && caches->count < CACHES_MAX) {
        caches->levels[caches->count++] = (struct cache){name, bytes, line_bytes};
    }
}

static struct caches of_cpu(void) {
    static const char *const names[] = {"", "L1", "L2", "L3", "L4"};
    struct caches caches = {0};
    struct cpu_cache levels[CPU_CACHES_MAX];
    const size_t count = cpu_data_caches(levels);
    for (size_t i = 0; i < count; i++) {
        add(&caches, names[levels[i].level], levels[i].bytes, levels[i].line_bytes);
    }
    return caches;
}

static struct caches of_gpu(const struct gpu *gpu) {
    struct caches caches = {0};
    add(&caches, "L1", gpu->l1_bytes, gpu->line_bytes);
    add(&caches, "L2", gpu->l2_bytes, gpu->line_bytes);
    if (gpu->last_level_cache_bytes > gpu->l2_bytes) {
        add(&caches, "L3", gpu->last_level_cache_bytes, 0); // AMD's Infinity Cache
    }
    return caches;
}

struct caches caches_of(const struct device_info *info) {
    if (device_is_cpu(info)) {
        return of_cpu();
    }
    return info->gpu ? of_gpu(info->gpu) : (struct caches){0};
}

const char *caches_level(const struct caches *caches, uint64_t footprint_bytes) {
    for (size_t i = 0; i < caches->count; i++) {
        if (footprint_bytes <= caches->levels[i].bytes) {
            return caches->levels[i].name;
        }
    }
    return caches->count ? "memory" : "";
}
