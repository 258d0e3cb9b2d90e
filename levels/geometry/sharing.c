// The number of a CPU's processors, or of a GPU's units, that share a level with the first one. On a CPU two chases
// that each take most of a cache that they share slow each other down. A GPU's units cannot be chosen, but say which
// they are: those that share a level find there what the first one has loaded.
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "levels/geometry/geometry.h"
#include "levels/levels_cpu.h"
#include "levels/levels_detail.h"
#include "util/clock.h"
#include "util/threads.h"

struct sharers {
    uint32_t count;
    double confidence_pct;
    uint32_t documented; // 0: not known
    const char *reason;  // why there is no count; NULL: there is one
};

// ---- Two chases at the same time on two processors of this machine ----

enum {
    SHARING_CPUS_MAX = 64
};

// One chase of a pair: its start, and the visits of one turn of its chain.
struct sharing_chase {
    int cpu;
    uint64_t at, turn;
    uint64_t end; // output: the position after three turns
};

enum {
    WARM_TURNS = 2,
    STEPS_MIN = 1 << 15, // of what is timed: long compared with reading the clock
};

// The processors that this process may use, in ascending order; returns their number.
static size_t sharing_cpus(int cpus[SHARING_CPUS_MAX]) {
    cpu_set_t set;
    size_t count = 0;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE && count < SHARING_CPUS_MAX; cpu++) {
        if (CPU_ISSET((size_t)cpu, &set)) {
            cpus[count++] = cpu;
        }
    }
    return count;
}

static bool move_to(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static uint64_t follow(uint64_t at, uint64_t steps) {
    for (uint64_t step = 0; step < steps; step++) {
        at = *(const volatile uint64_t *)(uintptr_t)at;
    }
    return at;
}

struct meeting {
    atomic_uint ready, over;
    uint32_t threads;
    uint64_t steps, steps_beside; // of either chase while they run together
};
static const double RUNS_BESIDE = 0.3; // share of the first chase's steps that the other one does at least

static void wait_for_all(struct meeting *meeting) {
    atomic_fetch_add(&meeting->ready, 1);
    while (atomic_load(&meeting->ready) < meeting->threads) {
    }
}

static double time_chase(struct sharing_chase *chase, struct meeting *meeting) {
    const uint64_t turns = (STEPS_MIN + chase->turn - 1) / chase->turn;
    uint64_t at = follow(chase->at, WARM_TURNS * chase->turn);
    wait_for_all(meeting);
    at = follow(at, chase->turn); // the other chase runs now
    const double begin = clock_ns();
    at = follow(at, turns * chase->turn);
    const double time = clock_ns() - begin;
    atomic_store(&meeting->over, 1);
    meeting->steps = (turns + 1) * chase->turn;
    chase->end = at;
    return time / (double)(turns * chase->turn);
}

static void chase_beside(const struct sharing_chase *chase, struct meeting *meeting) {
    enum {
        STEPS = 256 // between two reads of the flag
    };
    uint64_t at = follow(chase->at, WARM_TURNS * chase->turn);
    wait_for_all(meeting);
    while (atomic_load_explicit(&meeting->over, memory_order_relaxed) == 0) {
        at = follow(at, STEPS);
        meeting->steps_beside += STEPS;
    }
}

// Nanoseconds per step of the first chase while the other one (NULL: none) runs. Both do two turns before. Returns a
// negative number if the system does not let the threads run on their processors, or if the other one hardly ran.
static double sharing_time(struct sharing_chase *chase, const struct sharing_chase *other) {
    struct meeting meeting = {.threads = 1};
    double time = -1;
    atomic_uint moved = 0;
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
#pragma omp parallel num_threads(other ? 2 : 1)
    {
        const bool first = omp_get_thread_num() == 0;
        cpu_set_t own;
        sched_getaffinity(0, sizeof own, &own);
        if (move_to(first ? chase->cpu : other->cpu)) {
            atomic_fetch_add(&moved, 1);
        }
#pragma omp barrier
#pragma omp single
        meeting.threads = (uint32_t)omp_get_num_threads();
        if (atomic_load(&moved) == (other ? 2u : 1u)) {
            if (first) {
                time = time_chase(chase, &meeting);
            } else {
                chase_beside(other, &meeting);
            }
        }
        sched_setaffinity(0, sizeof own, &own);
    }
    sched_setaffinity(0, sizeof before, &before);
    const bool ran = !other || (double)meeting.steps_beside >= RUNS_BESIDE * (double)meeting.steps;
    return ran ? time : -1;
}

// ---- A CPU ----

enum {
    TRIES = 5 // the fastest counts, because other programs only make a chase longer
};
static const double FILLED = 0.6; // share of the cache that each chase takes

struct pair {
    struct chain chain;
    struct sharing_chase first, second;
};

// The second chain begins a large page after the first one ends, where it has the same sets to itself or to share.
static uint64_t second_base(const struct geometry *geometry, const struct chain *chain) {
    enum {
        ALIGNMENT = 2 << 20
    };
    return geometry->chase->memory + (chain_bytes(chain) / ALIGNMENT + 1) * ALIGNMENT;
}

// The fastest of the tries, and by how much the next one exceeds it.
struct fastest {
    double time, scatter; // time: NaN if two tries did not succeed
};

static struct fastest fastest(struct geometry *geometry, struct pair *pair, bool alone) {
    double first = INFINITY, second = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        const double time = sharing_time(&pair->first, alone ? NULL : &pair->second);
        if (time > 0) {
            geometry->right &= pair->first.end == pair->first.at; // whole turns
            second = fmin(second, fmax(first, time));
            first = fmin(first, time);
        }
    }
    return isfinite(second) ? (struct fastest){first, second - first} : (struct fastest){NAN, NAN};
}

// The processors that share the cache with the first one, including itself.
static void count_cpus(struct geometry *geometry, struct pair *pair, const int *cpus, size_t count, double miss,
                       struct sharers *sharers) {
    pair->first.cpu = cpus[0];
    const struct fastest alone = fastest(geometry, pair, true);
    *sharers = (struct sharers){.count = 1, .confidence_pct = alone.time > 0 ? 100 : 0};
    for (size_t i = 1; i < count && sharers->confidence_pct > 0; i++) {
        double confidence = 0;
        pair->second.cpu = cpus[i];
        const struct fastest together = fastest(geometry, pair, false);
        if (together.time > 0) {
            sharers->count += geometry_is_shared(alone.time, together.time, miss, &confidence);
            confidence = geometry_clear_pct(confidence, alone.time, miss, fmax(alone.scatter, together.scatter));
        }
        sharers->confidence_pct = fmin(sharers->confidence_pct, confidence);
    }
}

static void ask_cpus(struct geometry *geometry, const struct geometry_level *level, struct sharers *sharers) {
    int cpus[SHARING_CPUS_MAX];
    const size_t count = sharing_cpus(cpus);
    struct pair pair = {.chain = chain_make((uint64_t)(FILLED * level->plateau->size), geometry->line, 0,
                                            geometry->run->settings->seed)};
    const struct chain *chain = &pair.chain;
    const uint64_t first = geometry->chase->memory, second = second_base(geometry, chain);
    const double documented = level->cache ? (double)level->cache->bytes : 0;
    if (count < 2) {
        *sharers = (struct sharers){.reason = "the process may use only one processor"};
    } else if (geometry_compare_size(level->plateau, documented) == FINDING_DIFFERS &&
               documented > level->plateau->high) {
        *sharers = (struct sharers){.reason = "a part of the cache may belong to other guests of the host"};
    } else if (second + chain_bytes(chain) > first + geometry->chase->memory_bytes) {
        *sharers = (struct sharers){.reason = "there is too little memory"};
    } else {
        levels_cpu_write_chain(chain, first);
        levels_cpu_write_chain(chain, second);
        pair.first = (struct sharing_chase){.at = first + chain_offset(chain, 0), .turn = chain->elements};
        pair.second = (struct sharing_chase){.at = second + chain_offset(chain, 0), .turn = chain->elements};
        count_cpus(geometry, &pair, cpus, count, level->plateau[1].latency, sharers);
    }
    sharers->documented = level->cache ? level->cache->allowed_sharers : 0;
}

// ---- A GPU ----

enum {
    LINES = 512,        // that a unit's L1 holds
    SWEEPS = 3,         // the fastest counts, because another program may disturb one
    CACHES_EVICTED = 4, // last-level caches that are overwritten before a sweep
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
    return bytes > 0 ? device_poison(visits->device, chase->memory + used, bytes, error) : STATUS_OK;
}

// The second unit loads the region after the first one.
static enum status launch(const struct visits *visits, uint64_t first, uint64_t second, uint32_t region,
                          struct error *error) {
    const uint64_t memory = visits->memory;
    const struct launch launch = {
        .grid = {unit_count(visits), 1, 1},
        .block = {1, 1, 1},
        LAUNCH_ARGUMENTS(
            argument_pointer(memory + DONE * sizeof(uint64_t)), argument_pointer(memory + UNITS * sizeof(uint64_t)),
            argument_pointer(memory + CYCLES * sizeof(uint64_t)), argument_u64(first), argument_u64(second),
            argument_u32(LINES / CHASE_UNROLL), argument_u64(region_start(visits, region)), argument_u64(0))};
    TRY(device_fill(visits->device, memory, 0, visits->bytes, error));
    TRY(device_launch(visits->device, visits->kernel, &launch, error));
    return device_copy_to_host(visits->device, visits->words, memory, visits->bytes, error);
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
    visits->words = memory_zeros(1, visits->bytes);
    visits->units = memory_zeros(count, sizeof *visits->units);
    visits->geometry->unit_latencies = memory_zeros(count, sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        visits->geometry->unit_latencies[i] = INFINITY;
    }
    TRY(chase_build(visits->device, "chase_after_another", NULL, &visits->kernel, error));
    TRY(device_allocate(visits->device, visits->bytes, &visits->memory, error));
    return chase_prepare(visits->geometry->chase, &visits->chain, &warm, error);
}

static void close_visits(struct visits *visits) {
    device_release(visits->device, visits->memory);
    device_discard(visits->device, visits->kernel);
    free(visits->words);
    free(visits->units);
}

static enum status measure_units(struct geometry *geometry, struct error *error) {
    struct visits visits = {.geometry = geometry, .device = run_device(geometry->run)};
    const uint64_t region = LINES * geometry->line, bytes = unit_count(&visits) * region;
    visits.chain = chain_make(bytes, geometry->line, region, geometry->run->settings->seed);
    if (bytes > geometry->chase->memory_bytes) {
        return STATUS_OK;
    }
    enum status status = open_visits(&visits, error);
    THEN(status, take_sweeps(&visits, error));
    close_visits(&visits);
    return status;
}

static uint32_t documented_sharers(const struct geometry *geometry, const struct cache *cache) {
    const struct caches *caches = &geometry->documented;
    const bool last = cache && cache == &caches->levels[caches->count - 1];
    return cache && cache->sharers ? cache->sharers : last ? run_info(geometry->run)->compute_units : 0;
}

// The first call measures the latencies of all units, which later calls read.
static enum status ask_gpu(struct geometry *geometry, const struct geometry_level *level, struct sharers *sharers,
                           struct error *error) {
    const enum status status = geometry->unit_latencies ? STATUS_OK : measure_units(geometry, error);
    *sharers = (struct sharers){.documented = documented_sharers(geometry, level->cache)};
    if (status != STATUS_OK || !geometry->unit_latencies) {
        sharers->reason = "there is too little memory";
    } else if (!geometry->has_all_units) {
        sharers->reason = "the blocks did not reach every unit";
    } else {
        sharers->count = geometry_sharers(geometry->unit_latencies, run_info(geometry->run)->compute_units,
                                          level->plateau->latency, level->plateau[1].latency, &sharers->confidence_pct);
        sharers->reason = sharers->count > 0 ? NULL : "a unit does not find there what it has just loaded itself";
    }
    return status;
}

// ---- Either ----

enum status geometry_emit_sharing(struct geometry *geometry, const struct geometry_level *level, struct error *error) {
    const bool is_cpu = device_is_cpu(run_info(geometry->run));
    struct sharers sharers;
    if (is_cpu) {
        ask_cpus(geometry, level, &sharers);
    } else {
        TRY(ask_gpu(geometry, level, &sharers, error));
    }
    struct statement statement = {.level = level->name,
                                  .parameter = "sharing",
                                  .value = sharers.count,
                                  .unit = is_cpu ? "CPUs" : "units",
                                  .confidence_pct = sharers.confidence_pct,
                                  .expected = sharers.documented,
                                  .reason = sharers.reason};
    return geometry_emit_count(geometry, &statement, error);
}
