#include "levels/geometry/sharing_gpu.h"

#include <math.h>
#include <stdlib.h>

#include "levels/levels.h"

enum {
    LINES = 512, // that a unit's L1 holds
    SWEEPS = 3,  // the fastest counts, because another program may disturb one
    ARGUMENTS = 6,
    RECORD_WORDS = 5,         // cycles, ticks, end, the units of both blocks
    WORDS = RECORD_WORDS + 1, // and whether the first block is done
    CACHES_EVICTED = 4,       // last-level caches that are overwritten before a sweep
    POISON = 0xA5,
};

// Each turn has a region of lines that no unit has loaded since they were last evicted.
struct visits {
    struct geometry *geometry;
    struct device *device;
    struct kernel *kernel;
    struct chain chain; // a page for each turn
    uint64_t words;     // address of the record and of the flag
};

static uint64_t region_start(const struct visits *visits, uint32_t turn) {
    return visits->geometry->chase->memory + chain_offset(&visits->chain, (uint64_t)turn * LINES);
}

static enum status evict(const struct visits *visits, struct error *error) {
    const struct chase *chase = visits->geometry->chase;
    const uint64_t used = chain_bytes(&visits->chain), left = chase->memory_bytes - used;
    const uint64_t wanted = CACHES_EVICTED * visits->device->info.last_level_cache_bytes;
    return wanted == 0
               ? STATUS_OK
               : device_fill(visits->device, chase->memory + used, POISON, left < wanted ? left : wanted, error);
}

static enum status launch_turn(const struct visits *visits, uint32_t turn, uint64_t found[RECORD_WORDS],
                               struct error *error) {
    const uint64_t done = visits->words + RECORD_WORDS * sizeof(uint64_t);
    const struct argument arguments[ARGUMENTS] = {argument_pointer(done),
                                                  argument_pointer(visits->words),
                                                  argument_u32(turn),
                                                  argument_u32(LINES / CHASE_UNROLL),
                                                  argument_u64(region_start(visits, turn)),
                                                  argument_u64(0)};
    const struct launch launch = {.grid = {visits->device->info.compute_units, 1, 1},
                                  .block = {1, 1, 1},
                                  .arguments = arguments,
                                  .argument_count = ARGUMENTS};
    enum status status = device_fill(visits->device, done, 0, sizeof(uint64_t), error);
    if (status == STATUS_OK) {
        status = device_launch(visits->device, visits->kernel, &launch, error);
    }
    return status == STATUS_OK
               ? device_copy_to_host(visits->device, found, visits->words, RECORD_WORDS * sizeof *found, error)
               : status;
}

// Keeps the least latency of each unit.
static void keep(struct geometry *geometry, uint32_t unit, double latency) {
    size_t at = 0;
    while (at < geometry->unit_count && geometry->units[at].unit != unit) {
        at++;
    }
    if (at == levels_info(geometry->run)->compute_units) {
        return; // the driver names fewer units than there are
    }
    if (at == geometry->unit_count) {
        geometry->units[geometry->unit_count++] = (struct geometry_unit){unit, latency};
    }
    geometry->units[at].latency = fmin(geometry->units[at].latency, latency);
}

static enum status take_sweep(const struct visits *visits, uint32_t *first_unit, struct error *error) {
    const double mhz = visits->device->info.time_counter_mhz;
    struct geometry *geometry = visits->geometry;
    uint64_t found[RECORD_WORDS];
    enum status status = evict(visits, error);
    for (uint32_t turn = 0; turn < visits->device->info.compute_units && status == STATUS_OK; turn++) {
        status = launch_turn(visits, turn, found, error);
        if (status != STATUS_OK) {
            break;
        }
        const double time = found[0] > 0 ? (double)found[0] : (double)found[1] / mhz * 1e3;
        *first_unit = geometry->unit_count == 0 ? (uint32_t)found[3] : *first_unit;
        geometry->right &= found[2] == region_start(visits, turn + 1);
        if (*first_unit == (uint32_t)found[3]) {
            keep(geometry, (uint32_t)found[4], time / LINES);
        }
    }
    return status;
}

// The chain through all regions is made, and followed once, by a usual chase.
static enum status visit_all(struct geometry *geometry, struct error *error) {
    struct device *device = geometry->run->bench_device->device;
    const uint64_t region = LINES * geometry->line, units = device->info.compute_units;
    struct visits visits = {geometry, device, NULL,
                            chain_make(units * region, geometry->line, region, geometry->run->settings->seed), 0};
    uint32_t first_unit = 0;
    bool warm;
    geometry->units = calloc(units, sizeof *geometry->units);
    if (!geometry->units) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    if (chain_bytes(&visits.chain) > geometry->chase->memory_bytes / 2) {
        return STATUS_OK;
    }
    enum status status = chase_build(device, "chase_after_another", NULL, &visits.kernel, error);
    if (status == STATUS_OK) {
        status = device_allocate(device, WORDS * sizeof(uint64_t), &visits.words, error);
    }
    if (status == STATUS_OK) {
        status = chase_prepare(geometry->chase, &visits.chain, &warm, error);
    }
    for (int i = 0; i < SWEEPS && status == STATUS_OK; i++) {
        status = take_sweep(&visits, &first_unit, error);
    }
    if (visits.words) {
        device_release(device, visits.words);
    }
    if (visits.kernel) {
        device_discard(device, visits.kernel);
    }
    return status;
}

static uint32_t documented_sharers(const struct geometry *geometry, const struct cache *cache) {
    const struct caches *caches = &geometry->documented;
    const bool last = cache && cache == &caches->levels[caches->count - 1];
    return cache && cache->sharers ? cache->sharers : last ? levels_info(geometry->run)->compute_units : 0;
}

enum status sharing_gpu_ask(struct geometry *geometry, const struct geometry_level *level, struct sharers *sharers,
                            struct error *error) {
    const enum status status = geometry->units ? STATUS_OK : visit_all(geometry, error);
    const double hit = level->plateau->latency, miss = level->plateau[1].latency;
    *sharers = (struct sharers){.confidence_pct = 100, .documented = documented_sharers(geometry, level->cache)};
    for (size_t i = 0; i < geometry->unit_count; i++) {
        double confidence;
        sharers->count += !geometry_is_shared(hit, geometry->units[i].latency, miss, &confidence);
        sharers->confidence_pct = fmin(sharers->confidence_pct, confidence);
    }
    if (geometry->unit_count < levels_info(geometry->run)->compute_units) {
        sharers->reason = "the blocks did not reach every unit";
    } else if (sharers->count == 0) {
        sharers->reason = "a unit does not find there what it has just loaded itself";
    }
    return status;
}
