// Copies and reductions of a box of a tensor, for kernels that were translated from PTX: cp.async.bulk.tensor and
// cp.reduce.async.bulk.tensor in tiled mode.
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

// A row of a box: where its first element lies, and which of its elements, from `begin` to before `end`, lie in the
// tensor.
struct tensor_row {
    uint64_t shared, global;
    uint32_t begin, end;
};

PTX_INLINE uint32_t tensor_limit(int64_t elements, uint32_t box) {
    return elements < 0 ? 0 : elements < box ? (uint32_t)elements : box;
}

PTX_INLINE uint32_t tensor_row_count(const struct tensor_map *map) {
    return tensor_box_bytes(map) / (map->box[0] * map->element_bytes);
}

PTX_INLINE struct tensor_row tensor_row_of(const struct tensor_copy *copy, uint32_t number) {
    const struct tensor_map *map = copy->map;
    struct tensor_row row = {.shared = copy->shared + (uint64_t)number * map->box[0] * map->element_bytes,
                             .global = map->address + (uint64_t)((int64_t)copy->first[0] * map->element_bytes)};
    bool inside = true;
    for (uint32_t d = 1, left = number; d < map->dimensions; left /= map->box[d], d++) {
        const int64_t place = (int64_t)copy->first[d] + left % map->box[d];
        inside = inside && place >= 0 && place < map->sizes[d];
        row.global += (uint64_t)place * map->strides[d - 1];
    }
    if (inside) {
        row.begin = tensor_limit(-(int64_t)copy->first[0], map->box[0]);
        row.end = tensor_limit((int64_t)map->sizes[0] - copy->first[0], map->box[0]);
    }
    return row;
}

PTX_INLINE void announce_shared(const struct tensor_copy *copy, const struct tensor_row *row) {
    for (uint32_t done = 0; done < copy->map->box[0] * copy->map->element_bytes; done += 16) {
        sim_ptx_access(swizzled(copy->map, row->shared + done), 16, copy->stores ? SIM_PTX_LOAD : SIM_PTX_STORE,
                       copy->site, copy->depth);
    }
}

// A load fills the elements outside of the tensor with zeros, a store leaves them out.
PTX_INLINE void copy_tensor_row(const struct tensor_copy *copy, const struct tensor_row *row) {
    const uint32_t bytes = copy->map->element_bytes;
    announce_sectors(copy, row->global + row->begin * bytes, row->global + row->end * bytes);
    announce_shared(copy, row);
    for (uint32_t i = 0; i < copy->map->box[0]; i++) {
        const uint64_t place = swizzled(copy->map, row->shared + (uint64_t)i * bytes),
                       element = row->global + (uint64_t)i * bytes;
        if (i < row->begin || i >= row->end) {
            copy->stores ? (void)0 : clear_bytes(place, bytes);
        } else {
            copy_bytes(copy->stores ? element : place, copy->stores ? place : element, bytes);
        }
    }
}

PTX_INLINE void check_tensor(const struct tensor_copy *copy) {
    const struct tensor_map *map = copy->map;
    if (map->mark != tensor_map_mark) {
        sim_ptx_trap("the tensor map is not the simulator's: give lanes --arg map:BOX:buffer:TYPE:SHAPE", copy->site,
                     copy->depth);
    }
    if (copy->first[0] * map->element_bytes % 16 != 0) {
        sim_ptx_trap("the box begins at no multiple of 16 bytes, at which an H200 stops: begin it at one", copy->site,
                     copy->depth);
    }
}

PTX_FUNCTION void copy_tensor(const struct tensor_copy *copy) {
    check_tensor(copy);
    for (uint32_t i = 0; i < tensor_row_count(copy->map); i++) {
        const struct tensor_row row = tensor_row_of(copy, i);
        copy_tensor_row(copy, &row);
    }
}

// ---- Reductions ----

// The elements of the box that lie in the tensor, one after the other: each is at `from` in shared memory and at `at`
// in global memory.
struct tensor_walk {
    const struct tensor_copy *copy;
    struct tensor_row row;
    uint32_t row_number, next;
    uint64_t from, at;
};

PTX_INLINE struct tensor_walk tensor_walk_begin(const struct tensor_copy *copy) {
    check_tensor(copy);
    return (struct tensor_walk){.copy = copy};
}

// False behind the last element.
PTX_FUNCTION bool tensor_walk_next(struct tensor_walk *walk) {
    const struct tensor_map *map = walk->copy->map;
    while (walk->next == walk->row.end) {
        if (walk->row_number == tensor_row_count(map)) {
            return false;
        }
        walk->row = tensor_row_of(walk->copy, walk->row_number++);
        walk->next = walk->row.begin;
        announce_shared(walk->copy, &walk->row);
    }
    const uint64_t offset = (uint64_t)walk->next++ * map->element_bytes;
    walk->from = swizzled(map, walk->row.shared + offset);
    walk->at = walk->row.global + offset;
    sim_ptx_access(walk->at, map->element_bytes, SIM_PTX_ATOMIC, walk->copy->site, walk->copy->depth);
    return true;
}

#endif
