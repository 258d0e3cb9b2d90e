// The number of a CPU's processors that share a cache with the first one: two chases that each take most of the cache
// slow each other down. A GPU's units cannot be chosen, so it gets no such row.
#include <math.h>
#include <stdint.h>

#include "levels/geometry/sharing_cpu.h"
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
static uint32_t count_sharers(struct geometry *geometry, struct pair *pair, const int *cpus, size_t count, double miss,
                              double *confidence_pct) {
    uint32_t sharers = 1;
    pair->first.cpu = cpus[0];
    const double alone = fastest(geometry, pair, true);
    *confidence_pct = alone > 0 ? 100 : 0;
    for (size_t i = 1; i<count && * confidence_pct> 0; i++) {
        double confidence;
        pair->second.cpu = cpus[i];
        const double together = fastest(geometry, pair, false);
        sharers += geometry_is_shared(alone, together, miss, &confidence);
        *confidence_pct = together > 0 ? fmin(*confidence_pct, confidence) : 0;
    }
    return sharers;
}

enum status geometry_emit_sharing(struct geometry *geometry, const struct geometry_level *level, struct error *error) {
    int cpus[SHARING_CPUS_MAX];
    const size_t count = sharing_cpus(cpus);
    struct pair pair = {.chain = chain_make((uint64_t)(FILLED * level->plateau->size), geometry->line, 0,
                                            geometry->run->settings->seed)};
    const struct chain *chain = &pair.chain;
    const uint64_t second = second_base(geometry, chain);
    double confidence;
    const double documented_bytes = level->cache ? (double)level->cache->bytes : 0;
    if (!device_is_cpu(levels_info(geometry->run)) || count < 2 ||
        geometry_compare_size(level->plateau, documented_bytes) ==
            FINDING_DIFFERS || // a part of the cache may belong to other guests
        second + chain_bytes(chain) > geometry->chase->memory + geometry->chase->memory_bytes) {
        return STATUS_OK;
    }
    fill(chain, geometry->chase->memory);
    fill(chain, second);
    pair.first =
        (struct sharing_chase){.at = geometry->chase->memory + chain_offset(chain, 0), .turn = chain->elements};
    pair.second = (struct sharing_chase){.at = second + chain_offset(chain, 0), .turn = chain->elements};
    const uint32_t sharers = count_sharers(geometry, &pair, cpus, count, level->plateau[1].latency, &confidence);
    const double documented = level->cache ? level->cache->allowed_sharers : 0;
    const struct statement statement = {.level = level->name,
                                        .parameter = "sharing",
                                        .value = sharers,
                                        .unit = "CPUs",
                                        .confidence_pct = confidence,
                                        .expected = documented,
                                        .finding = geometry_compare_count(sharers, documented)};
    return geometry_emit(geometry, &statement, error);
}
