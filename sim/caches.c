#include "sim/caches.h"

#include <stdlib.h>
#include <string.h>

// ---- One cache ----

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

// ---- All of them ----

static const struct cache_sets l3_sets = {.ways = 16}, tlb_sets = {.ways = 16, .hashed = true};

static enum status create_l2(struct sim_caches *caches, const struct gpu *gpu, struct error *error) {
    const uint32_t parts = gpu->l2_parts > 1 ? gpu->l2_parts : 1;
    const uint32_t line_bytes = 128; // on every part of the table of latencies
    caches->parts = gpu->l2_private || parts > SIM_L2_PARTS ? 1 : parts;
    for (uint32_t i = 0; i < caches->parts; i++) {
        TRY(sim_cache_create(&caches->l2[i], gpu->l2_bytes / parts, line_bytes, caches->latency->l2_sets, error));
    }
    return STATUS_OK;
}

enum status sim_caches_create(struct sim_caches *caches, const struct gpu *gpu, struct error *error) {
    const struct gpu_latency *latency = gpu_latency(gpu);
    *caches = (struct sim_caches){.latency = latency};
    if (!latency) {
        *caches = (struct sim_caches){0};
        return error_set(error, STATUS_NO_DEVICE,
                         "sim:%s: the latencies of its caches are not known: give another part, or measure them on the "
                         "GPU (levels --variant geometry,latency --emit-gpu)",
                         gpu->name);
    }
    const uint64_t l3_bytes = latency->l3 ? gpu->last_level_cache_bytes : 0;
    enum status status = sim_cache_create(&caches->l1, gpu->l1_bytes, gpu->line_bytes, latency->l1_sets, error);
    if (status == STATUS_OK) {
        status = create_l2(caches, gpu, error);
    }
    if (status == STATUS_OK) {
        status = sim_cache_create(&caches->l3, l3_bytes, gpu->line_bytes, l3_sets, error);
    }
    if (status == STATUS_OK) {
        status = sim_cache_create(&caches->tlb, latency->tlb_bytes, latency->tlb_page, tlb_sets, error);
    }
    if (status != STATUS_OK) {
        sim_caches_destroy(caches);
    }
    return status;
}

void sim_caches_destroy(struct sim_caches *caches) {
    sim_cache_destroy(&caches->l1);
    for (uint32_t i = 0; i < caches->parts; i++) {
        sim_cache_destroy(&caches->l2[i]);
    }
    sim_cache_destroy(&caches->l3);
    sim_cache_destroy(&caches->tlb);
    *caches = (struct sim_caches){0};
}

void sim_caches_begin_launch(struct sim_caches *caches) {
    sim_cache_clear(&caches->l1);
}

void sim_caches_forget(struct sim_caches *caches) {
    sim_cache_clear(&caches->l1);
    for (uint32_t i = 0; i < caches->parts; i++) {
        sim_cache_clear(&caches->l2[i]);
    }
    sim_cache_clear(&caches->l3);
    sim_cache_clear(&caches->tlb);
}

// Blocks of this size belong to the parts of the L2 in turn: an H200's atomic additions (results/h200, up to 32 KiB)
// take long in blocks 0, 3, 4, 7 and short in 1, 2, 5, 6.
static const uint64_t home_bytes = 4096;

// The part of the L2 that an address belongs to: of two neighbouring blocks one is near.
static uint32_t home_of(const struct sim_caches *caches, uint64_t address) {
    return caches->parts > 1 && address / home_bytes % 4 % 3 == 0;
}

// The lines of a part are numbered without the other part's, so that they fill the sets evenly.
static uint64_t number_in_part(const struct sim_cache *part, uint64_t address) {
    return (address / (2 * home_bytes) * home_bytes + address % home_bytes) / part->line_bytes;
}

// Copies that crowd some sets begin in the middle of the sets, where the part's own lines come last.
static uint64_t set_of_copy(const struct sim_caches *caches, const struct sim_cache *part, uint64_t number) {
    const uint64_t one_in = caches->latency->crowding_copies;
    if (one_in == 0) {
        return number;
    }
    const uint64_t set = number + part->sets / 2, turn = set / part->sets;
    return (turn + set / 2) % one_in == 0 ? set / 2 * 2 : set;
}

static bool is_in_part(struct sim_caches *caches, uint32_t index, uint64_t address) {
    struct sim_cache *part = &caches->l2[index];
    if (caches->parts == 1) {
        return sim_cache_access(part, address);
    }
    const uint64_t number = number_in_part(part, address);
    const uint64_t set = home_of(caches, address) == index ? number : set_of_copy(caches, part, number);
    return sim_cache_access_at(part, set * part->line_bytes, address);
}

static uint32_t translate(struct sim_caches *caches, uint64_t address) {
    return caches->tlb.lines && !sim_cache_access(&caches->tlb, address) ? caches->latency->tlb_miss : 0;
}

// An access beyond the L2.
static uint32_t fetch(struct sim_caches *caches, uint64_t address) {
    return sim_cache_access(&caches->l3, address) ? caches->latency->l3 : caches->latency->memory;
}

// An access at the part of the L2 that the line belongs to. What an atomic takes there is over before memory answers.
static uint32_t at_home(struct sim_caches *caches, uint64_t address, uint32_t atomic) {
    const struct gpu_latency *latency = caches->latency;
    const uint32_t home = home_of(caches, address), far = home > 0 ? latency->far : 0;
    return far + (is_in_part(caches, home, address) ? latency->l2 + atomic : fetch(caches, address));
}

// The near part keeps copies of the far part's lines.
uint32_t sim_caches_load(struct sim_caches *caches, uint64_t address) {
    if (sim_cache_access(&caches->l1, address)) {
        return caches->latency->l1;
    }
    const uint32_t translated = translate(caches, address);
    const bool copied = home_of(caches, address) > 0 && is_in_part(caches, 0, address);
    return translated + (copied ? caches->latency->l2 : at_home(caches, address, 0));
}

// An atomic is carried out where the line belongs.
uint32_t sim_caches_atomic(struct sim_caches *caches, uint64_t address) {
    return translate(caches, address) + at_home(caches, address, caches->latency->atomic);
}

uint32_t sim_caches_store(const struct sim_caches *caches, uint64_t address) {
    return caches->latency->store + (home_of(caches, address) > 0 ? caches->latency->far : 0);
}
