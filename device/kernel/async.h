// A part of the kernel dialect (kernel.h) for NVIDIA's copies to shared memory that run beside the
// lanes. Addresses in shared memory are as shared_address() of kernel.h gives them.
//
// If ASYNC_WORDS is defined (sm_80 on), a thread's own copies:
//   begin_word(cache, to, from)    a constant WIDTH of 4, 8 or 16 bytes, cache: "ca" by way of L1, "cg" past it (16
//   alone) commit_words()                 ends a group of copies await_groups(n)                waits until all but the
//   latest n groups are complete, n a constant
// If ASYNC_BULK is defined (sm_90 on), copies by the unit's copy engine, which one thread asks for:
//   barrier_init(barrier, count)   of a uint64_t in shared memory; a barrier of the block must follow
//   barrier_expect(barrier, bytes) this thread arrives, and the barrier's phase also waits for so many bytes
//   bulk_copy(to, from, bytes, barrier)    begins to copy; all three are multiples of 16
//   bulk_copy_lasting(...)         the same; the lines stay in L2 longer than others
//   barrier_await(barrier, phase)  returns when the phase of this parity, from 0 on, is complete
#ifndef DEVICE_KERNEL_ASYNC_H
#define DEVICE_KERNEL_ASYNC_H

#include "device/kernel/kernel.h"

#if __CUDA_ARCH__ >= 800
#define ASYNC_WORDS

#define begin_word(cache, to, from)                                                                                    \
    asm volatile("cp.async." cache ".shared.global [%0], [%1], %2;"                                                    \
                 :                                                                                                     \
                 : "r"(shared_address(to)), "l"(__cvta_generic_to_global(from)), "n"(WIDTH)                            \
                 : "memory")
#define commit_words() asm volatile("cp.async.commit_group;" : : : "memory")
#define await_groups(n) asm volatile("cp.async.wait_group %0;" : : "n"(n) : "memory")
#endif

#if __CUDA_ARCH__ >= 900
#define ASYNC_BULK

#define BULK_LOAD "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"

static inline __device__ void barrier_init(shared_address_t barrier, uint32_t count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(barrier), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); // the copy engine sees the barrier
}

static inline __device__ void barrier_expect(shared_address_t barrier, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" : : "r"(barrier), "r"(bytes) : "memory");
}

static inline __device__ void barrier_await(shared_address_t barrier, uint32_t phase) {
    uint32_t done = 0;
    while (!done) {
        asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
                     : "=r"(done)
                     : "r"(barrier), "r"(phase)
                     : "memory");
    }
}

static inline __device__ void bulk_copy(shared_address_t to, const void *from, uint32_t bytes,
                                        shared_address_t barrier) {
    asm volatile(BULK_LOAD " [%0], [%1], %2, [%3];"
                 :
                 : "r"(to), "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier)
                 : "memory");
}

static inline __device__ void bulk_copy_lasting(shared_address_t to, const void *from, uint32_t bytes,
                                                shared_address_t barrier) {
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile(BULK_LOAD ".L2::cache_hint [%0], [%1], %2, [%3], %4;"
                 :
                 : "r"(to), "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier), "l"(policy)
                 : "memory");
}
#endif

#endif
