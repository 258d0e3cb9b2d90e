#include "sim/time/near.h"

#include <stdlib.h>
#include <string.h>

#include "sim/scatter.h"

enum {
    BLOCK_SHIFT = 43 // addresses have up to 48 bits, and a sector has 32 bytes or more
};

enum status sim_near_create(struct sim_near *near, uint32_t sectors, struct error *error) {
    *near = (struct sim_near){.slots = 1, .most = sectors};
    while (near->slots < 2 * sectors) {
        near->slots *= 2;
    }
    near->keys = calloc(near->slots, sizeof *near->keys);
    return near->keys ? STATUS_OK : error_set(error, STATUS_FAILED, "no memory for the sectors that a block loads");
}

void sim_near_destroy(struct sim_near *near) {
    free(near->keys);
    *near = (struct sim_near){0};
}

void sim_near_begin_block(struct sim_near *near) {
    near->count = 0;
    near->block = (near->block + 1) % (UINT64_C(1) << (64 - BLOCK_SHIFT));
    if (near->block == 0) {
        memset(near->keys, 0, near->slots * sizeof *near->keys);
        near->block = 1;
    }
}

bool sim_near_load(struct sim_near *near, uint64_t sector) {
    const uint64_t key = near->block << BLOCK_SHIFT | sector;
    const uint32_t last = near->slots - 1; // all bits are set
    uint32_t slot = (uint32_t)(sim_scatter(sector) >> 32) & last;
    while (near->keys[slot] >> BLOCK_SHIFT == near->block && near->keys[slot] != key) {
        slot = (slot + 1) & last;
    }
    if (near->keys[slot] == key) {
        return true;
    }
    if (near->count == near->most) {
        sim_near_begin_block(near);
        return sim_near_load(near, sector);
    }
    near->keys[slot] = key;
    near->count++;
    near->misses++;
    return false;
}
