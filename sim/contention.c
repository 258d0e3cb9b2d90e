#include "sim/contention.h"

#include <stdlib.h>

#include "model/gpu_limits.h"
#include "sim/scatter.h"

enum {
    SLOTS_AT_FIRST = 256,
    SLICES_MAX = 512
};

static struct sim_contended *find(const struct sim_contention *contention, uint64_t address) {
    size_t place = (size_t)(sim_scatter(address) >> 32);
    for (;; place++) {
        struct sim_contended *slot = &contention->slots[place & (contention->size - 1)];
        if (!slot->address || slot->address == address) {
            return slot;
        }
    }
}

static enum status grow(struct sim_contention *contention) {
    struct sim_contention larger = {.size = contention->size ? 2 * contention->size : SLOTS_AT_FIRST,
                                    .used = contention->used,
                                    .float_bytes = contention->float_bytes};
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (!larger.slots) {
        return STATUS_FAILED;
    }
    for (size_t i = 0; i < contention->size; i++) {
        if (contention->slots[i].address) {
            *find(&larger, contention->slots[i].address) = contention->slots[i];
        }
    }
    free(contention->slots);
    *contention = larger;
    return STATUS_OK;
}

enum status sim_contention_add(struct sim_contention *contention, const struct sim_atomic *atomic) {
    if (2 * contention->used >= contention->size && grow(contention) != STATUS_OK) {
        return STATUS_FAILED;
    }
    struct sim_contended *slot = find(contention, atomic->address);
    if (!slot->address) {
        *slot = (struct sim_contended){.address = atomic->address, .block = atomic->block};
        contention->used++;
    }
    slot->turns++;
    slot->bytes += atomic->width_bytes;
    if (atomic->floating && atomic->width_bytes > contention->float_bytes) {
        contention->float_bytes = atomic->width_bytes;
    }
    slot->by_several_blocks |= slot->block != atomic->block;
    return STATUS_OK;
}

double sim_contention_most(const struct sim_contention *contention, double scale) {
    double most = 0;
    for (size_t i = 0; i < contention->size; i++) {
        const struct sim_contended *slot = &contention->slots[i];
        const double turns = (double)slot->turns * (slot->by_several_blocks ? scale : 1);
        most = turns > most ? turns : most;
    }
    return most;
}

// What each slice has to do.
struct slices {
    double bytes[SLICES_MAX];
    uint64_t count;
};

static double *slice_of(struct slices *slices, uint64_t run) {
    return &slices->bytes[(sim_scatter(run) >> 32) % slices->count];
}

// Atomics on addresses that one block alone uses.
struct own_atomics {
    uint64_t first_address, last_address, first_block, last_block;
    double bytes;
};

static void widen(uint64_t *first, uint64_t *last, uint64_t value, bool is_first) {
    *first = is_first || value < *first ? value : *first;
    *last = is_first || value > *last ? value : *last;
}

static void add_own(struct own_atomics *own, const struct sim_contended *slot) {
    const bool is_first = own->bytes <= 0;
    widen(&own->first_address, &own->last_address, slot->address, is_first);
    widen(&own->first_block, &own->last_block, slot->block, is_first);
    own->bytes += (double)slot->bytes;
}

// The runs of addresses that the whole grid uses, if they go on from block to block as those of simulated blocks do.
static uint64_t own_runs(const struct own_atomics *own, uint64_t grid_blocks) {
    const uint64_t blocks = own->last_block - own->first_block;
    const double grids = blocks ? (double)(grid_blocks - 1) / (double)blocks : 1;
    return (uint64_t)((double)(own->last_address - own->first_address) * grids) / ATOMIC_RUN_BYTES + 1;
}

static void spread_own(struct slices *slices, const struct own_atomics *own, double scale, uint64_t grid_blocks) {
    enum {
        RUNS_A_SLICE = 16 // from this number on, every slice has about the same share
    };
    const uint64_t runs = own_runs(own, grid_blocks), most = RUNS_A_SLICE * slices->count;
    const uint64_t parts = runs < most ? runs : most, first_run = own->first_address / ATOMIC_RUN_BYTES;
    for (uint64_t i = 0; i < parts; i++) {
        *(runs < most ? slice_of(slices, first_run + i) : &slices->bytes[i % slices->count]) +=
            own->bytes * scale / (double)parts;
    }
}

double sim_contention_slice_bytes(const struct sim_contention *contention, const struct gpu *gpu, double scale,
                                  uint64_t grid_blocks) {
    const uint64_t count = gpu_l2_slices(gpu);
    struct slices slices = {.count = count < SLICES_MAX ? count : SLICES_MAX};
    struct own_atomics own = {0};
    double most = 0;
    for (size_t i = 0; i < contention->size; i++) {
        const struct sim_contended *slot = &contention->slots[i];
        const uint64_t run = slot->address / ATOMIC_RUN_BYTES;
        if (scale > 1 && slot->address && !slot->by_several_blocks) {
            add_own(&own, slot);
        } else {
            *slice_of(&slices, run) += (double)slot->bytes * scale;
        }
    }
    if (own.bytes > 0) {
        spread_own(&slices, &own, scale, grid_blocks);
    }
    for (uint64_t i = 0; i < slices.count; i++) {
        most = slices.bytes[i] > most ? slices.bytes[i] : most;
    }
    return most;
}

void sim_contention_destroy(struct sim_contention *contention) {
    free(contention->slots);
    *contention = (struct sim_contention){0};
}
