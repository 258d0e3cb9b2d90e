#include "sim/remap.h"

#include "sim/sim_device.h"

void sim_set_remap(struct device *device, const struct sim_remap *remap) {
    sim_of(device)->remap = remap;
}

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
