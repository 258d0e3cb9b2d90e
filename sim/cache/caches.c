#include "sim/cache/caches.h"

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
