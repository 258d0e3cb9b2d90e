#include "device/sim/contention.h"

#include <stdlib.h>

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

enum status sim_contention_add(struct sim_contention *contention, uint64_t address, uint64_t block) {
    if (2 * contention->used >= contention->size && grow(contention) != STATUS_OK) {
        return STATUS_FAILED;
    }
    struct sim_contended *slot = find(contention, address);
    if (!slot->address) {
        *slot = (struct sim_contended){.address = address, .block = block};
        contention->used++;
    }
    slot->atomics++;
    slot->by_several_blocks |= slot->block != block;
    return STATUS_OK;
}

double sim_contention_most(const struct sim_contention *contention, double scale) {
    double most = 0;
    for (size_t i = 0; i < contention->size; i++) {
        const struct sim_contended *slot = &contention->slots[i];
        double atomics = (double)slot->atomics * (slot->by_several_blocks ? scale : 1);
        most = atomics > most ? atomics : most;
    }
    return most;
}

void sim_contention_destroy(struct sim_contention *contention) {
    free(contention->slots);
    *contention = (struct sim_contention){0};
}
