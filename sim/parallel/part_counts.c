#include "sim/parallel/part_counts.h"

#include <stdlib.h>

#include "sim/lane.h"
#include "sim/time/interval.h"

enum {
    INTERVALS_MAX = 1 << 13 // a power of two
};

// One site's counts. Its costliest requests follow.
struct part_site {
    uintptr_t pc;
    struct sim_site_counts counts;
    bool has_costliest[SIM_SPACES];
    bool stores_first; // its first store to shared memory of all, as far as the worker knows
};

struct part_interval {
    struct block_interval work;
    uint64_t blocks;
};

struct part_counts {
    uint64_t sites, intervals, misses; // of L1
    struct block_tail longest;
};

// ---- In the worker ----

enum status sim_part_counts_begin(struct sim_launch *launch, struct sim_intervals *intervals) {
    for (size_t i = 0; i < launch->sites->count; i++) {
        struct sim_site *site = launch->sites->site[i];
        site->counts = (struct sim_site_counts){0};
        site->had_shared = site->memos[SIM_SHARED] != NULL;
        site->costliest[SIM_GLOBAL].rank = site->costliest[SIM_SHARED].rank = 0;
    }
    launch->near->misses = 0;
    launch->intervals = intervals;
    return sim_intervals_create(intervals, INTERVALS_MAX, launch->error);
}

static void write_site(const struct sim_site *site, struct sim_record *record) {
    const struct part_site part = {
        .pc = site->pc,
        .counts = site->counts,
        .has_costliest = {site->costliest[SIM_GLOBAL].rank > 0, site->costliest[SIM_SHARED].rank > 0},
        .stores_first = !site->had_shared && site->counts.tally[SIM_SHARED][OPERATION_STORE].requests > 0};
    sim_record_put(record, &part, sizeof part);
    for (int space = 0; space < SIM_SPACES; space++) {
        if (part.has_costliest[space]) {
            sim_record_put(record, &site->costliest[space], sizeof site->costliest[space]);
        }
    }
}

void sim_part_counts_write(const struct sim_launch *launch, struct sim_record *record) {
    const struct sim_intervals *intervals = launch->intervals;
    const struct part_counts part = {launch->sites->count, intervals->count, launch->near->misses, intervals->longest};
    record->is_full = record->is_full || intervals->is_full;
    sim_record_put(record, &part, sizeof part);
    for (size_t i = 0; i < part.sites; i++) {
        write_site(launch->sites->site[i], record);
    }
    for (size_t i = 0; i < part.intervals; i++) {
        const struct part_interval interval = {intervals->interval[i].work, intervals->since_fold[i]};
        sim_record_put(record, &interval, sizeof interval);
    }
}

// ---- In the process that started it ----

static void skip_costliest(const struct part_site *site, struct sim_record *record) {
    for (int space = 0; space < SIM_SPACES; space++) {
        if (site->has_costliest[space]) {
            sim_record_get(record, sizeof(struct sim_costliest));
        }
    }
}

// Whether a part made a request of shared memory at this instruction.
static bool has_shared(struct sim_record record, uintptr_t pc) {
    const struct part_counts *part = sim_record_get(&record, sizeof *part);
    for (uint64_t i = 0; i < part->sites; i++) {
        const struct part_site *site = sim_record_get(&record, sizeof *site);
        if (site->pc == pc) {
            return site->has_costliest[SIM_SHARED];
        }
        skip_costliest(site, &record);
    }
    return false;
}

static bool is_known(const struct sim_launch *launch, const struct sim_record *parts, size_t before, uintptr_t pc) {
    const struct sim_site *site = sim_sites_known(launch->sites, pc);
    bool known = site && site->memos[SIM_SHARED];
    for (size_t i = 0; !known && i < before; i++) {
        known = has_shared(parts[i], pc);
    }
    return known;
}

// A store waits otherwise when it is the first to shared memory (time/wait.c), so no worker may take another one for
// the first.
bool sim_part_counts_hold(const struct sim_launch *launch, const struct sim_record *parts, size_t count) {
    bool hold = true;
    for (size_t i = 0; i < count; i++) {
        struct sim_record record = parts[i];
        const struct part_counts *part = sim_record_get(&record, sizeof *part);
        for (uint64_t k = 0; hold && k < part->sites; k++) {
            const struct part_site *site = sim_record_get(&record, sizeof *site);
            hold = !(site->stores_first && is_known(launch, parts, i, site->pc));
            skip_costliest(site, &record);
        }
    }
    return hold;
}

static enum status merge_site(struct sim_launch *launch, const struct part_site *part, struct sim_record *record) {
    struct sim_site *site = sim_sites_find(launch->sites, part->pc);
    if (!site) {
        return STATUS_FAILED;
    }
    sim_site_counts_add(&site->counts, &part->counts);
    for (int space = 0; space < SIM_SPACES; space++) {
        if (part->has_costliest[space]) {
            const struct sim_costliest *costliest = sim_record_get(record, sizeof *costliest);
            if (costliest->rank > site->costliest[space].rank) {
                site->costliest[space] = *costliest;
            }
            sim_site_remember(site, (enum sim_space)space);
        }
    }
    return STATUS_OK;
}

enum status sim_part_counts_merge(struct sim_launch *launch, struct sim_record *record) {
    const struct part_counts *part = sim_record_get(record, sizeof *part);
    for (uint64_t i = 0; i < part->sites; i++) {
        const struct part_site *site = sim_record_get(record, sizeof *site);
        if (merge_site(launch, site, record) != STATUS_OK) {
            return sim_counts_have_no_room(launch->error);
        }
    }
    for (uint64_t i = 0; i < part->intervals; i++) {
        const struct part_interval *interval = sim_record_get(record, sizeof *interval);
        sim_intervals_add_alike(launch->intervals, &interval->work, interval->blocks);
    }
    launch->near->misses += part->misses;
    sim_intervals_add_tail(launch->intervals, &part->longest);
    return STATUS_OK;
}
