// CUDA C++ for the host's compiler: what a .cu file may use beyond C++17 when the simulator runs it.
#ifndef DEVICE_KERNEL_CXX_KERNEL_CXX_H
#define DEVICE_KERNEL_CXX_KERNEL_CXX_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <type_traits>

#include "device/kernel/kernel_hooks.h"

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 12000

// gcc's pragma for `#pragma unroll`. Without a number it unrolls 16 times, which removes the loops of most kernels.
#define SIM_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define SIM_UNROLL(...) SIM_PRAGMA(GCC unroll(sizeof #__VA_ARGS__ == 1 ? 16 : (__VA_ARGS__ + 0)))

// ---- Qualifiers ----

#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
// "used": the compiler must not assume that nothing else writes the variable.
#define __constant__ __attribute__((used))
// Thread-local, because gcc ignores a section that is given to a variable of a template. All lanes run in one thread.
#ifdef __clang__
#define __shared__ thread_local __attribute__((used))
#else
// gcc guards a variable of a class type against a second start, even where nothing is to be done, unless it must be
// constant.
#define __shared__ thread_local __attribute__((used)) __constinit
#endif
#define HIP_DYNAMIC_SHARED(type, name) type *name = (type *)(void *)sim_dynamic_shared;

#define SIM_INLINE static inline __attribute__((always_inline))

extern "C" unsigned char sim_dynamic_shared[];
// The target of `extern __shared__ T name[]` in a function.
struct sim_dynamic_memory {
    template <class T> __attribute__((always_inline)) operator T &() const {
        return *(T *)sim_dynamic_shared;
    }
};

#include "device/kernel/cxx/vector_types.h"

// ---- Indices of a lane ----

#define SIM_INDEX(type, name) (type{sim_##name##_x(), sim_##name##_y(), sim_##name##_z()})
#define threadIdx SIM_INDEX(::uint3, thread_index)
#define blockIdx SIM_INDEX(::uint3, block_index)
#define blockDim SIM_INDEX(::dim3, block_size)
#define gridDim SIM_INDEX(::dim3, grid_size)
#define warpSize WARP_WIDTH

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

// ---- Barriers, clocks, stops ----

#define __syncthreads() sim_block_barrier()
#define __threadfence() sim_fence()
#define __threadfence_block() sim_fence()
#define __threadfence_system() sim_fence()
#define __nanosleep(nanoseconds) ((void)(nanoseconds))
#define clock64() ((long long)sim_cycles())
#define wall_clock64() ((long long)sim_nanoseconds())
#define clock() ((clock_t)sim_cycles())
#define __trap() sim_trap("__trap()")
#define __brkpt() sim_trap("__brkpt()")
#define __builtin_assume(condition) ((void)0)

SIM_INLINE void __syncwarp(unsigned long long mask = SIM_ALL_LANES) {
    sim_warp_barrier(mask);
}

// ---- Warps: shuffles and votes ----

// 32-bit masks as in CUDA on warps of 32 lanes, 64-bit masks as in HIP on warps of 64.
#if WARP_WIDTH == 64
typedef unsigned long long sim_lanes;
#else
typedef unsigned sim_lanes;
#endif

template <class T>
SIM_INLINE T sim_shuffle_value(enum sim_shuffle_kind kind, uint64_t mask, T value, uint32_t operand, uint32_t width) {
    static_assert(sizeof(T) <= sizeof(uint64_t), "a shuffle moves 8 bytes at most");
    union box {
        uint64_t bits;
        T value;
        __attribute__((always_inline)) box() : bits(0) {}
    } box;
    box.value = value;
    box.bits = sim_shuffle(kind, mask, box.bits, operand, width);
    return box.value;
}

#define SIM_DEFINE_SHUFFLE(name, kind)                                                                                 \
    template <class T>                                                                                                 \
    SIM_INLINE T name##_sync(unsigned long long mask, T value, unsigned operand, int width = WARP_WIDTH) {             \
        return sim_shuffle_value(kind, mask, value, operand, (uint32_t)width);                                         \
    }                                                                                                                  \
    template <class T> SIM_INLINE T name(T value, unsigned operand, int width = WARP_WIDTH) {                          \
        return sim_shuffle_value(kind, SIM_ALL_LANES, value, operand, (uint32_t)width);                                \
    }
SIM_DEFINE_SHUFFLE(__shfl, SIM_SHUFFLE_INDEX)
SIM_DEFINE_SHUFFLE(__shfl_up, SIM_SHUFFLE_UP)
SIM_DEFINE_SHUFFLE(__shfl_down, SIM_SHUFFLE_DOWN)
SIM_DEFINE_SHUFFLE(__shfl_xor, SIM_SHUFFLE_XOR)

#define SIM_DEFINE_REDUCE(name, type, kind)                                                                            \
    SIM_INLINE type name(unsigned long long mask, type value) {                                                        \
        return sim_shuffle_value(kind, mask, value, 0, WARP_WIDTH);                                                    \
    }
SIM_DEFINE_REDUCE(__reduce_add_sync, int, SIM_SHUFFLE_ADD)
SIM_DEFINE_REDUCE(__reduce_add_sync, unsigned, SIM_SHUFFLE_ADD)
SIM_DEFINE_REDUCE(__reduce_min_sync, int, SIM_SHUFFLE_MIN_SIGNED)
SIM_DEFINE_REDUCE(__reduce_min_sync, unsigned, SIM_SHUFFLE_MIN)
SIM_DEFINE_REDUCE(__reduce_max_sync, int, SIM_SHUFFLE_MAX_SIGNED)
SIM_DEFINE_REDUCE(__reduce_max_sync, unsigned, SIM_SHUFFLE_MAX)
SIM_DEFINE_REDUCE(__reduce_and_sync, unsigned, SIM_SHUFFLE_AND)
SIM_DEFINE_REDUCE(__reduce_or_sync, unsigned, SIM_SHUFFLE_OR)
SIM_DEFINE_REDUCE(__reduce_xor_sync, unsigned, SIM_SHUFFLE_XOR_ALL)

SIM_INLINE sim_lanes __ballot_sync(unsigned long long mask, int predicate) {
    return (sim_lanes)sim_ballot(mask, predicate != 0);
}
SIM_INLINE int __any_sync(unsigned long long mask, int predicate) {
    return sim_ballot(mask, predicate != 0) != 0;
}
SIM_INLINE int __all_sync(unsigned long long mask, int predicate) {
    return sim_ballot(mask, predicate == 0) == 0;
}
SIM_INLINE sim_lanes __activemask() {
    return (sim_lanes)sim_active_lanes();
}
template <class T> SIM_INLINE sim_lanes __match_any_sync(unsigned long long mask, T value) {
    static_assert(sizeof(T) <= sizeof(uint64_t), "a match compares 8 bytes at most");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return (sim_lanes)sim_shuffle(SIM_SHUFFLE_MATCH, mask, bits, 0, WARP_WIDTH);
}
template <class T> SIM_INLINE sim_lanes __match_all_sync(unsigned long long mask, T value, int *all) {
    const sim_lanes same = __match_any_sync(mask, value);
    *all = same == (sim_lanes)(mask & __activemask());
    return *all ? same : 0;
}
#define __ballot(predicate) __ballot_sync(SIM_ALL_LANES, predicate)
#define __any(predicate) __any_sync(SIM_ALL_LANES, predicate)
#define __all(predicate) __all_sync(SIM_ALL_LANES, predicate)

SIM_INLINE unsigned __lane_id() {
    return sim_lane_index();
}

// ---- Votes of the block ----

// Sums a value over the block. Three slots are used in turn: when a barrier opens, no lane needs the slot before the
// last any more, so every lane that leaves the barrier may clear it.
__attribute__((no_sanitize("thread"), noinline)) inline int sim_block_sum(int value) {
    static int sums[3], turn;
    sim_catch_up();
    const int own = turn;
    sums[own % 3] += value;
    sim_block_barrier();
    sim_catch_up();
    turn = own + 1;
    sums[(own + 2) % 3] = 0;
    return sums[own % 3];
}
#define __syncthreads_count(predicate) sim_block_sum((predicate) != 0)
#define __syncthreads_or(predicate) (sim_block_sum((predicate) != 0) != 0)
#define __syncthreads_and(predicate) (sim_block_sum((predicate) == 0) == 0)

#include "device/kernel/cxx/atomics.h"
#include "device/kernel/cxx/intrinsics.h"

#endif
