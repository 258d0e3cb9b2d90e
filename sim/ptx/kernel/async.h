// Asynchronous copies, and the barriers in shared memory that they arrive at, for kernels that were translated from
// PTX. In the simulator a copy is complete when it is issued.
// PTX ISA: "Data Movement and Conversion Instructions: Asynchronous copy", "mbarrier".
#ifndef SIM_PTX_KERNEL_ASYNC_H
#define SIM_PTX_KERNEL_ASYNC_H

#include "sim/ptx/kernel/memory.h"

// The 8 bytes of an mbarrier, whose form PTX leaves open but for its ranges: up to 2^20 - 1 arrivals, and as many bytes
// more or less than expected.
struct mbarrier {
    uint64_t expected : 20, pending : 20; // arrivals of a phase
    uint64_t phase : 1;                   // which of two
    int64_t bytes : 21;                   // of copies that this phase still waits for
};

PTX_INLINE struct mbarrier *mbarrier_at(uint64_t address) {
    return (struct mbarrier *)(uintptr_t)address;
}

PTX_INLINE void mbarrier_init(uint64_t address, uint32_t count) {
    *mbarrier_at(address) = (struct mbarrier){.expected = count, .pending = count};
}

PTX_INLINE void mbarrier_complete(struct mbarrier *barrier) {
    if (barrier->pending == 0 && barrier->bytes == 0) {
        barrier->phase = ~barrier->phase;
        barrier->pending = barrier->expected;
        sim_ptx_order();
    }
}

// The state of the phase before, which a wait compares with.
PTX_INLINE uint64_t mbarrier_arrive(uint64_t address, uint32_t count, uint32_t bytes, bool drop) {
    struct mbarrier *barrier = mbarrier_at(address);
    const uint64_t before = barrier->phase;
    barrier->bytes += (int32_t)bytes;
    barrier->pending -= count;
    barrier->expected -= drop ? count : 0;
    mbarrier_complete(barrier);
    return before;
}

// Expects bytes, or notes that -bytes have arrived.
PTX_INLINE void mbarrier_transact(uint64_t address, int32_t bytes) {
    struct mbarrier *barrier = mbarrier_at(address);
    barrier->bytes += bytes;
    mbarrier_complete(barrier);
}

// Whether the phase of this parity is over.
PTX_INLINE bool mbarrier_test(uint64_t address, uint32_t parity) {
    return mbarrier_at(address)->phase != (parity & 1);
}

#endif
