#include "device/sim/contention.h"

#include <stdlib.h>
#include <string.h>

#include "model/atomic.h"

enum {
    SLOTS_AT_FIRST = 256
};

static struct sim_contended *find(const struct sim_contention *contention, uint64_t address) {
    size_t place = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    for (;; place++) {
        struct sim_contended *slot = &contention->slots[place & (contention->size - 1)];
        if (!slot->address || slot->address == address) {
            return slot;
        }
    }
}

static enum status grow(struct sim_contention *contention) {
    struct sim_contention larger = {.size = contention->size ? 2 * contention->size : SLOTS_AT_FIRST,
                                    .used = contention->used};
    memcpy(larger.slice_bytes, contention->slice_bytes, sizeof larger.slice_bytes);
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

static void add_to_slice(struct sim_contention *contention, const struct gpu *gpu, const struct sim_atomic *atomic) {
    const uint64_t run = atomic->address / ATOMIC_RUN_BYTES, slices = atomic_slices(gpu);
    const uint64_t slice =
        (run * UINT64_C(0x9e3779b97f4a7c15) >> 32) % (slices < SIM_SLICES_MAX ? slices : SIM_SLICES_MAX);
    contention->slice_bytes[slice] += atomic_slice_bytes(atomic->width_bytes, atomic->floating);
}

enum status sim_contention_add(struct sim_contention *contention, const struct gpu *gpu,
                               const struct sim_atomic *atomic) {
    if (2 * contention->used >= contention->size && grow(contention) != STATUS_OK) {
        return STATUS_FAILED;
    }
    struct sim_contended *slot = find(contention, atomic->address);
    if (!slot->address) {
        *slot = (struct sim_contended){.address = atomic->address, .block = atomic->block};
        contention->used++;
    }
    slot->turns += atomic_turns(atomic->floating);
    slot->by_several_blocks |= slot->block != atomic->block;
    add_to_slice(contention, gpu, atomic);
    return STATUS_OK;
}

double sim_contention_most(const struct sim_contention *contention, double scale) {
    double most = 0;
    for (size_t i = 0; i < contention->size; i++) {
        const struct sim_contended *slot = &contention->slots[i];
        const double turns = slot->turns * (slot->by_several_blocks ? scale : 1);
        most = turns > most ? turns : most;
    }
    return most;
}

double sim_contention_slice_bytes(const struct sim_contention *contention, double scale) {
    double most = 0;
    for (size_t i = 0; i < SIM_SLICES_MAX; i++) {
        most = contention->slice_bytes[i] > most ? contention->slice_bytes[i] : most;
    }
    return most * scale;
}

void sim_contention_destroy(struct sim_contention *contention) {
    free(contention->slots);
    *contention = (struct sim_contention){0};
}
