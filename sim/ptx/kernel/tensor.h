// Copies of a box of a tensor, for kernels that were translated from PTX: cp.async.bulk.tensor in tiled mode.
// PTX ISA: "Tensors", "Swizzling modes".
#ifndef SIM_PTX_KERNEL_TENSOR_H
#define SIM_PTX_KERNEL_TENSOR_H

#include "sim/ptx/kernel/async.h"
#include "sim/ptx/kernel/tensor_map.h"

// The box's first element in the tensor, its place in shared memory, and the instruction.
struct tensor_copy {
    const struct tensor_map *map;
    int32_t first[TENSOR_DIMENSIONS];
    uint64_t shared;
    bool stores; // to global memory
    const char *site;
    uint32_t depth;
};

PTX_INLINE uint32_t tensor_box_bytes(const struct tensor_map *map) {
    uint32_t bytes = map->element_bytes;
    for (uint32_t d = 0; d < map->dimensions; d++) {
        bytes *= map->box[d];
    }
    return bytes;
}

// The swizzle exchanges runs of 16 bytes by the address in shared memory.
PTX_INLINE uint64_t swizzled(const struct tensor_map *map, uint64_t address) {
    const uint64_t offset = to_shared(address), runs = map->swizzle / 16;
    return runs ? from_shared(offset ^ (offset >> 7 & (runs - 1)) << 4) : address;
}

// Announces the sectors of a run of global memory. The copy engine moves whole sectors, so each counts once.
PTX_INLINE void announce_sectors(const struct tensor_copy *copy, uint64_t begin, uint64_t end) {
    enum {
        SECTOR = 32
    };
    while (begin < end) {
        const uint64_t next = (begin / SECTOR + 1) * SECTOR, last = next < end ? next : end;
        uint64_t width = SECTOR, at = begin;
        while (at = (begin + width - 1) / width * width, at + width > last) {
            width /= 2;
        }
        sim_ptx_access(at, (uint32_t)width, copy->stores ? SIM_PTX_STORE : SIM_PTX_LOAD, copy->site, copy->depth);
        begin = next;
    }
}

// Copies one row of the box; the elements from `begin` to before `end` lie in the tensor. A load fills the others with
// zeros, a store leaves them out.
PTX_INLINE void copy_tensor_row(const struct tensor_copy *copy, uint64_t shared, uint64_t global, uint32_t begin,
                                uint32_t end) {
    const uint32_t bytes = copy->map->element_bytes, row = copy->map->box[0] * bytes;
    announce_sectors(copy, global + begin * bytes, global + end * bytes);
    for (uint32_t done = 0; done < row; done += 16) {
        sim_ptx_access(swizzled(copy->map, shared + done), 16, copy->stores ? SIM_PTX_LOAD : SIM_PTX_STORE, copy->site,
                       copy->depth);
    }
    for (uint32_t i = 0; i < copy->map->box[0]; i++) {
        const uint64_t place = swizzled(copy->map, shared + (uint64_t)i * bytes),
                       element = global + (uint64_t)i * bytes;
        if (i < begin || i >= end) {
            copy->stores ? (void)0 : clear_bytes(place, bytes);
        } else {
            copy_bytes(copy->stores ? element : place, copy->stores ? place : element, bytes);
        }
    }
}

PTX_INLINE uint32_t tensor_limit(int64_t elements, uint32_t box) {
    return elements < 0 ? 0 : elements < box ? (uint32_t)elements : box;
}

PTX_FUNCTION void copy_tensor(const struct tensor_copy *copy) {
    const struct tensor_map *map = copy->map;
    if (map->mark != tensor_map_mark) {
        sim_ptx_trap("the tensor map is not the simulator's: give lanes --arg map:BOX:buffer:TYPE:SHAPE", copy->site,
                     copy->depth);
    }
    if (copy->first[0] * map->element_bytes % 16 != 0) {
        sim_ptx_trap("the box begins at no multiple of 16 bytes, at which an H200 stops: begin it at one", copy->site,
                     copy->depth);
    }
    const uint32_t row_bytes = map->box[0] * map->element_bytes, rows = tensor_box_bytes(map) / row_bytes;
    const uint32_t first = tensor_limit(-(int64_t)copy->first[0], map->box[0]);
    const uint32_t last = tensor_limit((int64_t)map->sizes[0] - copy->first[0], map->box[0]);
    for (uint32_t row = 0; row < rows; row++) {
        uint64_t global = map->address + (uint64_t)((int64_t)copy->first[0] * map->element_bytes);
        bool inside = true;
        for (uint32_t d = 1, left = row; d < map->dimensions; left /= map->box[d], d++) {
            const int64_t place = (int64_t)copy->first[d] + left % map->box[d];
            inside = inside && place >= 0 && place < map->sizes[d];
            global += (uint64_t)place * map->strides[d - 1];
        }
        copy_tensor_row(copy, copy->shared + (uint64_t)row * row_bytes, global, inside ? first : 0, inside ? last : 0);
    }
}

#endif
