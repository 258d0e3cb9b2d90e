// Memory, for kernels that were translated from PTX. A generic address is the host's; one of shared memory is an offset
// in the block's.
#ifndef SIM_PTX_KERNEL_MEMORY_H
#define SIM_PTX_KERNEL_MEMORY_H

#include "sim/ptx/kernel/hooks.h"
#include "sim/ptx/kernel/integers.h"

#define PTX_CLUSTER_BLOCKS (PTX_CLUSTER_X * PTX_CLUSTER_Y * PTX_CLUSTER_Z)
#define PTX_WINDOW (UINT64_C(1) << PTX_WINDOW_SHIFT)
#define PTX_CLUSTER_SHARED_BYTES (PTX_CLUSTER_BLOCKS > 1 ? PTX_CLUSTER_BLOCKS * PTX_WINDOW : SHARED_BYTES)

extern unsigned char sim_shared[PTX_CLUSTER_SHARED_BYTES];

// ---- The block in its cluster ----

PTX_INLINE uint32_t cluster_rank(void) {
    const uint32_t x = sim_ptx_special(SIM_PTX_CTAID) % PTX_CLUSTER_X;
    const uint32_t y = sim_ptx_special((enum sim_ptx_special)(SIM_PTX_CTAID + 1)) % PTX_CLUSTER_Y;
    const uint32_t z = sim_ptx_special((enum sim_ptx_special)(SIM_PTX_CTAID + 2)) % PTX_CLUSTER_Z;
    return (z * PTX_CLUSTER_Y + y) * PTX_CLUSTER_X + x;
}

// ---- Shared memory: a window for each block of the cluster ----
//
// In PTX a number below the size of a window is an offset in the block's own; above that, it is one in the window of
// the rank + 1, which mapa gives.

PTX_INLINE uint64_t window_of(uint32_t rank) {
    return (uint64_t)(uintptr_t)sim_shared + rank * PTX_WINDOW;
}

PTX_INLINE uint64_t shared_base(void) {
    return window_of(PTX_CLUSTER_BLOCKS > 1 ? cluster_rank() : 0);
}

// An offset beyond all shared memory stays small, so that it is reported as a stray access.
PTX_INLINE uint64_t from_shared(uint64_t offset) {
    offset = (uint32_t)offset;
    const uint64_t window = offset / PTX_WINDOW, place = offset % PTX_WINDOW;
    if (place >= SHARED_BYTES || window > (PTX_CLUSTER_BLOCKS > 1 ? PTX_CLUSTER_BLOCKS : 0)) {
        return offset;
    }
    return (window ? window_of((uint32_t)window - 1) : shared_base()) + place;
}

PTX_INLINE bool is_of_cluster(uint64_t address) {
    return address - window_of(0) < PTX_CLUSTER_SHARED_BYTES;
}

PTX_INLINE bool is_shared(uint64_t address) {
    return address - shared_base() < SHARED_BYTES;
}

// The rank of the block to whose shared memory a generic address leads.
PTX_INLINE uint32_t rank_of(uint64_t address) {
    return (uint32_t)((address - window_of(0)) / PTX_WINDOW);
}

PTX_INLINE uint64_t to_shared(uint64_t address) {
    return is_of_cluster(address) && !is_shared(address) ? address - window_of(0) + PTX_WINDOW
                                                         : address - shared_base();
}

// What the block of this rank has where this one has the generic address.
PTX_INLINE uint64_t map_to_rank(uint64_t address, uint32_t rank) {
    return rank < PTX_CLUSTER_BLOCKS ? window_of(rank) + (address - window_of(0)) % PTX_WINDOW : 0;
}

// The same as a number of shared memory. It names the rank even if that is the block's own, because others may use it.
PTX_INLINE uint64_t map_shared_to_rank(uint64_t address, uint32_t rank) {
    const uint64_t there = map_to_rank(address, rank);
    return there && PTX_CLUSTER_BLOCKS > 1 ? there - window_of(0) + PTX_WINDOW : there ? to_shared(there) : -PTX_WINDOW;
}

// An atomic sum. In global memory it flushes subnormals, in shared memory it does not.
PTX_INLINE float sum_f32(uint64_t address, float old, float value) {
    return is_of_cluster(address) ? old + value : flushed_f32(flushed_f32(old) + flushed_f32(value));
}

#define PTX_AT(type, address) (*(type *)(uintptr_t)(address))

// ---- Functions that CUDA provides, which get the addresses of their results and arguments ----

PTX_INLINE void call_print(uint32_t depth, void *printed, const void *format, const void *arguments) {
    (void)depth;
    *(int32_t *)printed = sim_ptx_print(*(const uint64_t *)format, *(const uint64_t *)arguments);
}

PTX_INLINE void call_assert_fail(const char *site, uint32_t depth, const void *message, const void *file,
                                 const void *line, const void *function, const void *character_bytes) {
    (void)file, (void)line, (void)function, (void)character_bytes; // the site gives the line
    sim_ptx_assert_fail(*(const uint64_t *)message, site, depth);
}

// ---- Copies ----

// Copies memory for instructions that bypass registers: cp.async and bulk copies.
PTX_INLINE void copy_bytes(uint64_t to, uint64_t from, uint32_t bytes) {
    __builtin_memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
}

PTX_INLINE void clear_bytes(uint64_t to, uint32_t bytes) {
    __builtin_memset((void *)(uintptr_t)to, 0, bytes);
}

#endif
