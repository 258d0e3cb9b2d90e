// partitions: the latency from each compute unit to each of several addresses, which shows near and far parts of a
// cache.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/row.h"
#include "levels/levels_detail.h"

enum {
    ROUNDS = 4,      // of a measurement
    TURNS = 3,       // measurements of each unit; the fastest counts, because another program may disturb one
    FOUND_WORDS = 3, // cycles, ticks, end
    CACHE_SHARE = 4, // the addresses span 1 / CACHE_SHARE of the last-level cache
};
static const uint64_t UNKNOWN_CACHE = UINT64_C(16) << 20;

struct found {
    double cycles, ticks; // of all steps; infinite until they are measured
    bool right;
};

struct partitions {
    struct run *run;
    struct device *device;
    struct kernel *kernel;
    struct chain chain;                 // element i is address i
    uint32_t count, units;              // of addresses; of compute units
    uint64_t memory, addresses, record; // device addresses
    uint64_t *words;                    // of a record
    uint32_t *unit;                     // of a turn
    struct found *found;                // of turn and address
};

static uint64_t footprint_of(const struct run *run, const struct point *point) {
    const uint64_t cache = run_info(run)->last_level_cache_bytes;
    return point->values[LEVELS_FOOTPRINT] ? point->values[LEVELS_FOOTPRINT]
                                           : (cache ? cache : UNKNOWN_CACHE) / CACHE_SHARE;
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    const uint64_t footprint = footprint_of(run, point), line = levels_line_bytes(run, point);
    const uint64_t most = device_free_bytes(run_info(run));
    if (footprint > most || footprint / line < point->values[LEVELS_ELEMENTS] || line % sizeof(uint64_t) != 0) {
        return error_set(error, STATUS_USAGE,
                         "--footprint %llu: give room for --elements %llu lines of %llu bytes, at most %llu",
                         (unsigned long long)footprint, (unsigned long long)point->values[LEVELS_ELEMENTS],
                         (unsigned long long)line, (unsigned long long)most);
    }
    return STATUS_OK;
}

static size_t record_words(const struct partitions *p) {
    return 1 + (size_t)FOUND_WORDS * p->count;
}

static uint64_t address_of(const struct partitions *p, uint32_t index) {
    return p->memory + chain_offset(&p->chain, index);
}

// ---- Making it ----

// Each element holds its own address.
static enum status write_elements(struct partitions *p, struct error *error) {
    for (uint32_t i = 0; i < p->count; i++) {
        const uint64_t address = address_of(p, i);
        TRY(device_copy_to_device(p->device, address, &address, sizeof address, error));
        TRY(device_copy_to_device(p->device, p->addresses + i * sizeof address, &address, sizeof address, error));
    }
    return STATUS_OK;
}

static enum status open_partitions(struct partitions *p, struct error *error) {
    p->words = memory_zeros(record_words(p), sizeof *p->words);
    p->unit = memory_zeros(p->units, sizeof *p->unit);
    p->found = memory_zeros((size_t)p->units * p->count, sizeof *p->found);
    TRY(chase_build(p->device, "chase_partitions", NULL, &p->kernel, error));
    TRY(device_allocate(p->device, chain_bytes(&p->chain), &p->memory, error));
    TRY(device_allocate(p->device, p->count * sizeof(uint64_t), &p->addresses, error));
    TRY(device_allocate(p->device, record_words(p) * sizeof *p->words, &p->record, error));
    return write_elements(p, error);
}

static void close_partitions(struct partitions *p) {
    DEVICE_RELEASE(p->device, p->memory, p->addresses, p->record);
    device_discard(p->device, p->kernel);
    free(p->words);
    free(p->unit);
    free(p->found);
}

// ---- Measuring ----

// As many blocks as there are units, each with all the shared memory that a block may have: a unit holds one.
static enum status launch_turn(struct partitions *p, uint32_t turn, struct error *error) {
    const struct launch launch = {.grid = {p->units, 1, 1},
                                  .block = {1, 1, 1},
                                  .dynamic_shared_bytes = p->device->info.shared_bytes_per_block_max / 16 * 16,
                                  LAUNCH_ARGUMENTS(argument_pointer(p->addresses), argument_pointer(p->record),
                                                   argument_u32(p->count), argument_u32(turn), argument_u32(ROUNDS),
                                                   argument_u64(0))};
    const size_t bytes = record_words(p) * sizeof *p->words;
    TRY(device_poison(p->device, p->record, bytes, error));
    TRY(device_launch(p->device, p->kernel, &launch, error));
    return device_copy_to_host(p->device, p->words, p->record, bytes, error);
}

static enum status take_turn(struct partitions *p, uint32_t turn, bool first, struct error *error) {
    const enum status status = launch_turn(p, turn, error);
    for (uint32_t i = 0; i < p->count && status == STATUS_OK; i++) {
        const uint64_t *words = p->words + 1 + (size_t)FOUND_WORDS * i;
        struct found *found = &p->found[(size_t)turn * p->count + i];
        const double cycles = (double)words[0], ticks = (double)words[1];
        found->cycles = first ? cycles : fmin(found->cycles, cycles);
        found->ticks = first ? ticks : fmin(found->ticks, ticks);
        found->right = (first || found->right) && words[2] == address_of(p, i);
    }
    p->unit[turn] = (uint32_t)p->words[0];
    return status;
}

static enum status emit(struct partitions *p, uint32_t turn, uint32_t index, const char *level, struct error *error) {
    const struct found *found = &p->found[(size_t)turn * p->count + index];
    const double steps = (double)(ROUNDS * CHASE_UNROLL), mhz = p->device->info.time_counter_mhz;
    struct row row = run_row(p->run);
    row.peak_gb_s = NAN;
    snprintf(row.op, sizeof row.op, "atomic-add");
    snprintf(row.level, sizeof row.level, "%s", level);
    row.width_bytes = sizeof(uint64_t);
    row.footprint_bytes = chain_bytes(&p->chain);
    row.compute_unit = p->unit[turn];
    row.address = chain_offset(&p->chain, index);
    row.samples = TURNS;
    row.latency_ns = mhz > 0 ? found->ticks / mhz * 1e3 / steps : NAN;
    row.latency_cycles = found->cycles > 0 ? found->cycles / steps : NAN;
    row_judge(&row, VERDICT_OK, verification_of(found->right));
    return run_emit(p->run, &row, error);
}

// Two blocks on one unit would say the same twice.
static bool is_repeated(const struct partitions *p, uint32_t turn) {
    for (uint32_t i = 0; i < turn; i++) {
        if (p->unit[i] == p->unit[turn]) {
            return true;
        }
    }
    return false;
}

static enum status measure_all(struct partitions *p, struct error *error) {
    const struct footprint footprint = {(double)chain_bytes(&p->chain), 1, true, false, false};
    const char *level = caches_answer(&p->device->info, &footprint).level;
    for (uint32_t i = 0; i < TURNS * p->units; i++) {
        TRY(take_turn(p, i % p->units, i < p->units, error));
    }
    for (uint32_t turn = 0; turn < p->units; turn++) {
        for (uint32_t i = 0; i < p->count && !is_repeated(p, turn); i++) {
            TRY(emit(p, turn, i, level, error));
        }
    }
    return STATUS_OK;
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    struct partitions partitions = {
        .run = run,
        .device = run_device(run),
        .chain = chain_make(footprint_of(run, point), levels_line_bytes(run, point), 0, run->settings->seed),
        .count = (uint32_t)point->values[LEVELS_ELEMENTS],
        .units = run_info(run)->compute_units};
    enum status status = open_partitions(&partitions, error);
    THEN(status, measure_all(&partitions, error));
    close_partitions(&partitions);
    return status;
}

TABLE(partitions, COLUMN(device), COLUMN(variant), COLUMN(compute_unit), COLUMN(address), COLUMN(latency_ns),
      COLUMN(latency_cycles), COLUMN(interval_pct), COLUMN(level), COLUMN(verdict));

const struct variant_kind levels_partitions = {.table = partitions, .check = check, .measure = measure_point};
