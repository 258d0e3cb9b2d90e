#include "levels/geometry/sharing_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "levels/levels.h"

enum {
    LINES = 512, // that a unit's L1 holds
    SWEEPS = 3,  // the fastest counts, because another program may disturb one
    ARGUMENTS = 8,
    CACHES_EVICTED = 4, // last-level caches that are overwritten before a sweep
    POISON = 0xA5,
};
static const uint64_t NO_UNIT = UINT64_MAX;

// What a launch leaves in the device's memory.
enum word {
    DONE,
    CYCLES,
    TICKS,
    END,
    UNITS // of each block
};

// Each unit has a region of lines that no unit has loaded since they were last evicted.
struct visits {
    struct geometry *geometry;
    struct device *device;
    struct kernel *kernel;
    struct chain chain;     // a page for each region
    uint64_t memory, bytes; // of the words
    uint64_t *words;
    uint64_t *units; // as the part numbers them; the first block's is the one that loads first
};

static uint32_t unit_count(const struct visits *visits) {
    return visits->device->info.compute_units;
}

static uint64_t region_start(const struct visits *visits, uint32_t region) {
    return visits->geometry->chase->memory + chain_offset(&visits->chain, (uint64_t)region * LINES);
}

static enum status evict(const struct visits *visits, struct error *error) {
    const struct chase *chase = visits->geometry->chase;
    const uint64_t used = chain_bytes(&visits->chain), left = chase->memory_bytes - used;
    const uint64_t wanted = CACHES_EVICTED * visits->device->info.last_level_cache_bytes;
    const uint64_t bytes = left < wanted ? left : wanted;
    return bytes > 0 ? device_fill(visits->device, chase->memory + used, POISON, bytes, error) : STATUS_OK;
}

// The second unit loads the region after the first one.
static enum status launch(const struct visits *visits, uint64_t first, uint64_t second, uint32_t region,
                          struct error *error) {
    const uint64_t memory = visits->memory;
    const struct argument arguments[ARGUMENTS] = {argument_pointer(memory + DONE * sizeof(uint64_t)),
                                                  argument_pointer(memory + UNITS * sizeof(uint64_t)),
                                                  argument_pointer(memory + CYCLES * sizeof(uint64_t)),
                                                  argument_u64(first),
                                                  argument_u64(second),
                                                  argument_u32(LINES / CHASE_UNROLL),
                                                  argument_u64(region_start(visits, region)),
                                                  argument_u64(0)};
    const struct launch launch = {
        .grid = {unit_count(visits), 1, 1}, .block = {1, 1, 1}, .arguments = arguments, .argument_count = ARGUMENTS};
    enum status status = device_fill(visits->device, memory, 0, visits->bytes, error);
    if (status == STATUS_OK) {
        status = device_launch(visits->device, visits->kernel, &launch, error);
    }
    return status == STATUS_OK
               ? device_copy_to_host(visits->device, visits->words, visits->memory, visits->bytes, error)
               : status;
}

static int ascending(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Lists the units, and says whether they are as many as there are blocks.
static enum status list_units(const struct visits *visits, bool *all, struct error *error) {
    const uint32_t count = unit_count(visits);
    const enum status status = launch(visits, NO_UNIT, NO_UNIT, 0, error);
    memcpy(visits->units, visits->words + UNITS, count * sizeof *visits->units);
    qsort(visits->units, count, sizeof *visits->units, ascending);
    *all = status == STATUS_OK;
    for (uint32_t i = 1; i < count; i++) {
        *all = *all && visits->units[i] != visits->units[i - 1];
    }
    return status;
}

static enum status take_sweep(const struct visits *visits, struct error *error) {
    const double mhz = visits->device->info.time_counter_mhz;
    struct geometry *geometry = visits->geometry;
    enum status status = evict(visits, error);
    for (uint32_t i = 0; i < unit_count(visits) && status == STATUS_OK; i++) {
        status = launch(visits, visits->units[0], visits->units[i], i, error);
        const uint64_t *words = visits->words;
        const double time = words[CYCLES] > 0 ? (double)words[CYCLES] : (double)words[TICKS] / mhz * 1e3;
        if (status == STATUS_OK && words[END] != 0) { // both units had a block
            geometry->right &= words[END] == region_start(visits, i + 1);
            geometry->unit_latencies[i] = fmin(geometry->unit_latencies[i], time / (double)LINES);
        }
    }
    return status;
}

static enum status take_sweeps(const struct visits *visits, struct error *error) {
    struct geometry *geometry = visits->geometry;
    enum status status = list_units(visits, &geometry->has_all_units, error);
    for (int i = 0; i < SWEEPS && status == STATUS_OK && geometry->has_all_units; i++) {
        status = take_sweep(visits, error);
    }
    for (uint32_t i = 0; i < unit_count(visits); i++) {
        geometry->has_all_units &= isfinite(geometry->unit_latencies[i]) != 0;
    }
    return status;
}

// A usual chase makes the chain through all regions.
static enum status open_visits(struct visits *visits, struct error *error) {
    const uint32_t count = unit_count(visits);
    bool warm;
    visits->bytes = (UNITS + count) * sizeof(uint64_t);
    visits->words = malloc(visits->bytes);
    visits->units = calloc(count, sizeof *visits->units);
    visits->geometry->unit_latencies = malloc(count * sizeof(double));
    if (!visits->words || !visits->units || !visits->geometry->unit_latencies) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    for (uint32_t i = 0; i < count; i++) {
        visits->geometry->unit_latencies[i] = INFINITY;
    }
    enum status status = chase_build(visits->device, "chase_after_another", NULL, &visits->kernel, error);
    if (status == STATUS_OK) {
        status = device_allocate(visits->device, visits->bytes, &visits->memory, error);
    }
    return status == STATUS_OK ? chase_prepare(visits->geometry->chase, &visits->chain, &warm, error) : status;
}

static void close_visits(struct visits *visits) {
    device_release(visits->device, visits->memory);
    device_discard(visits->device, visits->kernel);
    free(visits->words);
    free(visits->units);
}

static enum status measure_units(struct geometry *geometry, struct error *error) {
    struct visits visits = {.geometry = geometry, .device = geometry->run->bench_device->device};
    const uint64_t region = LINES * geometry->line, bytes = unit_count(&visits) * region;
    visits.chain = chain_make(bytes, geometry->line, region, geometry->run->settings->seed);
    if (bytes > geometry->chase->memory_bytes) {
        return STATUS_OK;
    }
    enum status status = open_visits(&visits, error);
    if (status == STATUS_OK) {
        status = take_sweeps(&visits, error);
    }
    close_visits(&visits);
    return status;
}

static uint32_t documented_sharers(const struct geometry *geometry, const struct cache *cache) {
    const struct caches *caches = &geometry->documented;
    const bool last = cache && cache == &caches->levels[caches->count - 1];
    return cache && cache->sharers ? cache->sharers : last ? levels_info(geometry->run)->compute_units : 0;
}

enum status sharing_gpu_ask(struct geometry *geometry, const struct geometry_level *level, struct sharers *sharers,
                            struct error *error) {
    const enum status status = geometry->unit_latencies ? STATUS_OK : measure_units(geometry, error);
    *sharers = (struct sharers){.documented = documented_sharers(geometry, level->cache)};
    if (status != STATUS_OK || !geometry->unit_latencies) {
        sharers->reason = "there is too little memory";
    } else if (!geometry->has_all_units) {
        sharers->reason = "the blocks did not reach every unit";
    } else {
        sharers->count = geometry_sharers(geometry->unit_latencies, levels_info(geometry->run)->compute_units,
                                          level->plateau->latency, level->plateau[1].latency, &sharers->confidence_pct);
        sharers->reason = sharers->count > 0 ? NULL : "a unit does not find there what it has just loaded itself";
    }
    return status;
}
