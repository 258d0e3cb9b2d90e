// The number of a CPU's processors, or of a GPU's units, that share a level with the first one. On a CPU two chases
// that each take most of a cache that they share slow each other down. A GPU's units cannot be chosen, but say which
// they are (sharing_gpu.h).
#include <math.h>
#include <stdint.h>

#include "levels/geometry/sharing_cpu.h"
#include "levels/geometry/sharing_gpu.h"
#include "levels/geometry/statements.h"
#include "levels/levels.h"
#include "levels/levels_cpu.h"

enum {
    TRIES = 3 // the fastest counts, because other programs only make a chase longer
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

static void fill(const struct chain *chain, uint64_t base) {
    const struct argument arguments[] = {argument_pointer(base),
                                         argument_u64(chain->elements),
                                         argument_u64(chain->page_elements),
                                         argument_u32(chain_page_bits(chain)),
                                         argument_u64(chain->line_bytes),
                                         argument_u64(0),
                                         argument_u64(0),
                                         argument_u64(chain->seed)};
    const struct launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = arguments, .argument_count = 8};
    levels_cpu_fill_chain(&launch, NULL);
}

static double fastest(struct geometry *geometry, struct pair *pair, bool alone) {
    double time = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        const double found = sharing_time(&pair->first, alone ? NULL : &pair->second);
        geometry->right &= found < 0 || pair->first.end == pair->first.at; // whole turns
        time = fmin(time, found);
    }
    return time;
}

// The processors that share the cache with the first one, including itself.
static void count_cpus(struct geometry *geometry, struct pair *pair, const int *cpus, size_t count, double miss,
                       struct sharers *sharers) {
    pair->first.cpu = cpus[0];
    const double alone = fastest(geometry, pair, true);
    *sharers = (struct sharers){.count = 1, .confidence_pct = alone > 0 ? 100 : 0};
    for (size_t i = 1; i < count && sharers->confidence_pct > 0; i++) {
        double confidence;
        pair->second.cpu = cpus[i];
        const double together = fastest(geometry, pair, false);
        sharers->count += geometry_is_shared(alone, together, miss, &confidence);
        sharers->confidence_pct = together > 0 ? fmin(sharers->confidence_pct, confidence) : 0;
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
    } else if (geometry_compare_size(level->plateau, documented) == FINDING_DIFFERS) {
        *sharers = (struct sharers){.reason = "a part of the cache may belong to other guests of the host"};
    } else if (second + chain_bytes(chain) > first + geometry->chase->memory_bytes) {
        *sharers = (struct sharers){.reason = "there is too little memory"};
    } else {
        fill(chain, first);
        fill(chain, second);
        pair.first = (struct sharing_chase){.at = first + chain_offset(chain, 0), .turn = chain->elements};
        pair.second = (struct sharing_chase){.at = second + chain_offset(chain, 0), .turn = chain->elements};
        count_cpus(geometry, &pair, cpus, count, level->plateau[1].latency, sharers);
    }
    sharers->documented = level->cache ? level->cache->allowed_sharers : 0;
}

enum status geometry_emit_sharing(struct geometry *geometry, const struct geometry_level *level, struct error *error) {
    const bool is_cpu = device_is_cpu(levels_info(geometry->run));
    struct sharers sharers;
    enum status status = STATUS_OK;
    if (is_cpu) {
        ask_cpus(geometry, level, &sharers);
    } else {
        status = sharing_gpu_ask(geometry, level, &sharers, error);
    }
    const struct statement statement = {.level = level->name,
                                        .parameter = "sharing",
                                        .value = sharers.count,
                                        .unit = is_cpu ? "CPUs" : "units",
                                        .confidence_pct = sharers.confidence_pct,
                                        .expected = sharers.documented,
                                        .reason = sharers.reason,
                                        .finding = geometry_compare_count(sharers.count, sharers.documented)};
    return status == STATUS_OK ? geometry_emit(geometry, &statement, error) : status;
}
