#include "sim/requests.h"

#include <stdlib.h>
#include <string.h>

#include "sim/lane.h"

// ---- The distinct requests to shared memory ----

enum {
    TABLE = 4 * RECORDS_MAX // a power of two
};

static uint64_t hash_of(const struct sim_recording_entry *entry) {
    const struct request *request = &entry->request;
    uint64_t hash =
        sim_mix(sim_mix(entry->pc, request->active), request->width_bytes << 1 | (uint32_t)request->operation);
    for (uint64_t left = request->active; left; left &= left - 1) {
        const int lane = __builtin_ctzll(left);
        hash = sim_mix(hash, request->address[lane] + (entry->from[lane] << 32));
    }
    return hash;
}

static bool is_same(const struct sim_recording_entry *a, const struct sim_recording_entry *b) {
    bool same = a->pc == b->pc && a->request.active == b->request.active &&
                a->request.width_bytes == b->request.width_bytes && a->request.operation == b->request.operation &&
                a->copies == b->copies && a->past_l1 == b->past_l1;
    for (uint64_t left = a->request.active; left && same; left &= left - 1) {
        const int lane = __builtin_ctzll(left);
        same = a->request.address[lane] == b->request.address[lane] && a->from[lane] == b->from[lane];
    }
    return same;
}

// What a copy costs does not change where all of its addresses move by whole lines.
static struct sim_recording_entry entry_of(uintptr_t pc, const struct request *request, const struct copy *copy) {
    struct sim_recording_entry entry = {.pc = pc, .count = 1, .request = *request};
    if (copy) {
        const uint64_t line = copy->from[__builtin_ctzll(copy->active)] / COPY_LINE_BYTES * COPY_LINE_BYTES;
        entry.copies = true;
        entry.past_l1 = copy->past_l1;
        for (uint64_t left = copy->active; left; left &= left - 1) {
            const int lane = __builtin_ctzll(left);
            entry.from[lane] = copy->from[lane] - line;
        }
    }
    return entry;
}

void sim_recording_add(struct sim_recording *recording, uintptr_t pc, const struct request *request,
                       const struct copy *copy) {
    const struct sim_recording_entry entry = entry_of(pc, request, copy);
    uint32_t *place = &recording->table[hash_of(&entry) % TABLE];
    while (*place && !is_same(&recording->list[*place - 1], &entry)) {
        place = place == &recording->table[TABLE - 1] ? recording->table : place + 1;
    }
    if (*place) {
        recording->list[*place - 1].count++;
    } else if (recording->count == RECORDS_MAX) {
        recording->overflowed = true;
    } else {
        recording->list[recording->count++] = entry;
        *place = (uint32_t)recording->count;
    }
}

void sim_recording_begin(struct sim_recording *recording) {
    recording->list = recording->list ? recording->list : memory_zeros(RECORDS_MAX, sizeof *recording->list);
    recording->table = recording->table ? recording->table : memory_zeros(TABLE, sizeof *recording->table);
    memset(recording->table, 0, TABLE * sizeof *recording->table);
    recording->count = 0;
    recording->overflowed = false;
}

void sim_recording_destroy(struct sim_recording *recording) {
    free(recording->list);
    free(recording->table);
    free(recording);
}

// ---- What if data lay elsewhere? ----

static bool applies(const struct sim_remap *remap, int kind, uint64_t place) {
    return remap && (int)remap->kind == kind && place - remap->begin < remap->bytes;
}

uint32_t sim_remap_more_shared(const struct sim_remap *remap) {
    return remap && remap->kind == REMAP_TILE ? layout_bytes(&remap->layout) - tile_bytes(&remap->layout.tile) : 0;
}

// What follows the array moves up by as much as the array grows.
uint64_t sim_remap_shared(const struct sim_remap *remap, uint64_t offset) {
    if (!applies(remap, REMAP_TILE, offset)) {
        const bool is_behind = remap && remap->kind == REMAP_TILE && offset >= remap->begin + remap->bytes;
        return offset + (is_behind ? sim_remap_more_shared(remap) : 0);
    }
    const uint32_t element_bytes = remap->layout.tile.element_bytes, in_array = (uint32_t)(offset - remap->begin);
    return remap->begin + (uint64_t)layout_place(&remap->layout, in_array / element_bytes) * element_bytes +
           in_array % element_bytes;
}

// The array of each member lies where the first structures were; the bytes behind the last whole structure stay.
uint64_t sim_remap_global(const struct sim_remap *remap, uint64_t address) {
    if (!applies(remap, REMAP_STRUCTS, address)) {
        return address;
    }
    const uint64_t count = remap->bytes / remap->struct_bytes, in_array = address - remap->begin;
    const uint64_t number = in_array / remap->struct_bytes, in_struct = in_array % remap->struct_bytes;
    const uint64_t member = in_struct / remap->member_bytes;
    return number >= count
               ? address
               : remap->begin + (member * count + number) * remap->member_bytes + in_struct % remap->member_bytes;
}
