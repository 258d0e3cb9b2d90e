// Memory, for kernels that were translated from PTX. A generic address is the host's; one of shared memory is an offset
// in the block's.
#ifndef SIM_PTX_KERNEL_MEMORY_H
#define SIM_PTX_KERNEL_MEMORY_H

#include "sim/ptx/kernel/hooks.h"
#include "sim/ptx/kernel/integers.h"

extern unsigned char sim_ptx_shared[PTX_SHARED_BYTES];

PTX_INLINE uint64_t shared_base(void) {
    return (uint64_t)(uintptr_t)sim_ptx_shared;
}

// An offset beyond all shared memory stays small, so that it is reported as a stray access.
PTX_INLINE uint64_t from_shared(uint64_t offset) {
    offset = (uint32_t)offset;
    return offset < PTX_SHARED_BYTES ? shared_base() + offset : offset;
}

PTX_INLINE uint64_t to_shared(uint64_t address) {
    return address - shared_base();
}

PTX_INLINE bool is_shared(uint64_t address) {
    return address - shared_base() < PTX_SHARED_BYTES;
}

// An atomic sum. In global memory it flushes subnormals, in shared memory it does not.
PTX_INLINE float sum_f32(uint64_t address, float old, float value) {
    return is_shared(address) ? old + value : flushed_f32(flushed_f32(old) + flushed_f32(value));
}

#define PTX_AT(type, address) (*(type *)(uintptr_t)(address))

// A read-modify-write: `old` is the value in memory, `value` the lane's.
#define PTX_UPDATE(type, address, expression)                                                                          \
    __extension__({                                                                                                    \
        type *const place_ = (type *)(uintptr_t)(address);                                                             \
        const type before_ = *place_;                                                                                  \
        *place_ = (type)(expression);                                                                                  \
        before_;                                                                                                       \
    })

// Copies memory for instructions that bypass registers: cp.async and bulk copies.
PTX_INLINE void copy_bytes(uint64_t to, uint64_t from, uint32_t bytes) {
    __builtin_memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
}

PTX_INLINE void clear_bytes(uint64_t to, uint32_t bytes) {
    __builtin_memset((void *)(uintptr_t)to, 0, bytes);
}

#endif
