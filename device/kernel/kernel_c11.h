// The kernel dialect (device/kernel/kernel.h) in C11: for the simulator, and for checking kernels with gcc and clang.
// It also provides the part of CUDA C that users' own kernels may use on the simulator.
#ifndef DEVICE_KERNEL_KERNEL_C11_H
#define DEVICE_KERNEL_KERNEL_C11_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/kernel/kernel_hooks.h"

#ifndef __clang__
#pragma GCC diagnostic ignored "-Wunknown-pragmas" // #pragma unroll
#endif

// gcc's pragma for `#pragma unroll`. Without a number it unrolls 16 times, which removes the loops of most kernels.
#define SIM_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define SIM_UNROLL(...) SIM_PRAGMA(GCC unroll(sizeof #__VA_ARGS__ == 1 ? 16 : (__VA_ARGS__ + 0)))

// ---- Entry points, qualifiers ----

#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __constant__ const
// "used": the compiler must not assume that nothing else writes the variable.
#define __shared__ static __attribute__((used, section("bankshot_shared")))

#define SIM_INLINE static inline __attribute__((always_inline))

#define KERNEL __global__
#define RESTRICT __restrict__

extern unsigned char sim_dynamic_shared[];
#define DYNAMIC_SHARED(type, name) type *name = (type *)(void *)sim_dynamic_shared
#define HIP_DYNAMIC_SHARED(type, name) DYNAMIC_SHARED(type, name);

// ---- Types ----

typedef struct {
    uint32_t x, y, z;
} dim3;
typedef dim3 uint3;

// clang splits the copy of a struct into its members (gcc with -fno-tree-sra does not). Copying a vector type is one
// access on both.
#ifdef __clang__
#define SIM_VECTOR2(type, name) typedef type name __attribute__((ext_vector_type(2)));
#define SIM_VECTOR4(type, name) typedef type name __attribute__((ext_vector_type(4)));
#else
#define SIM_VECTOR2(type, name)                                                                                        \
    typedef struct __attribute__((aligned(2 * sizeof(type)))) {                                                        \
        type x, y;                                                                                                     \
    } name;
#define SIM_VECTOR4(type, name)                                                                                        \
    typedef struct __attribute__((aligned(4 * sizeof(type)))) {                                                        \
        type x, y, z, w;                                                                                               \
    } name;
#endif

#define SIM_MAKE(type, name)                                                                                           \
    SIM_VECTOR2(type, name##2)                                                                                         \
    SIM_VECTOR4(type, name##4)                                                                                         \
    SIM_INLINE name##2 make_##name##2(type x, type y) {                                                                \
        return (name##2){x, y};                                                                                        \
    }                                                                                                                  \
    SIM_INLINE name##4 make_##name##4(type x, type y, type z, type w) {                                                \
        return (name##4){x, y, z, w};                                                                                  \
    }
SIM_MAKE(int, int)
SIM_MAKE(unsigned, uint)
SIM_MAKE(float, float)
SIM_VECTOR2(double, double2)
SIM_INLINE double2 make_double2(double x, double y) {
    return (double2){x, y};
}

// ---- Indices of a lane ----

#define SIM_INDEX(name) ((dim3){sim_##name##_x(), sim_##name##_y(), sim_##name##_z()})
#define threadIdx SIM_INDEX(thread_index)
#define blockIdx SIM_INDEX(block_index)
#define blockDim SIM_INDEX(block_size)
#define gridDim SIM_INDEX(grid_size)
#define warpSize WARP_WIDTH

SIM_INLINE uint32_t lane_index(void) {
    return sim_lane_index();
}

// ---- Barriers, clocks ----

#define __syncthreads() sim_block_barrier()
#define warp_barrier() sim_warp_barrier(SIM_ALL_LANES)
#define __syncwarp(...) sim_warp_barrier(SIM_SYNCWARP_MASK(__VA_ARGS__))
#define SIM_SYNCWARP_MASK(...) (sizeof #__VA_ARGS__ == 1 ? SIM_ALL_LANES : (uint64_t)(__VA_ARGS__ + 0))
#define __threadfence() sim_fence()
#define __threadfence_block() sim_fence()

#define CYCLE_COUNTER_BITS 64
#define unit_index() blockIdx.x
#define cycle_counter() sim_cycles()
#define time_counter() sim_nanoseconds()
#define clock64() ((long long)sim_cycles())

// ---- Arithmetic ----

#define SIM_DEFINE_MIN_MAX(type, suffix)                                                                               \
    SIM_INLINE type sim_min_##suffix(type a, type b) {                                                                 \
        return a < b ? a : b;                                                                                          \
    }                                                                                                                  \
    SIM_INLINE type sim_max_##suffix(type a, type b) {                                                                 \
        return a > b ? a : b;                                                                                          \
    }
SIM_ARITHMETIC_TYPES(SIM_DEFINE_MIN_MAX)

// The function of a family for the type of an expression.
#define SIM_BY_TYPE(family, expression)                                                                                \
    _Generic((expression), int                                                                                         \
             : family##_i, unsigned                                                                                    \
             : family##_u, long                                                                                        \
             : family##_l, unsigned long                                                                               \
             : family##_ul, long long                                                                                  \
             : family##_ll, unsigned long long                                                                         \
             : family##_ull, float                                                                                     \
             : family##_f, double                                                                                      \
             : family##_d)

#define min(a, b) SIM_BY_TYPE(sim_min, (a) + (b))(a, b)
#define max(a, b) SIM_BY_TYPE(sim_max, (a) + (b))(a, b)
#define abs(a) _Generic((a), int : abs, long : labs, long long : llabs, float : fabsf, double : fabs)(a)
#define __ldg(p) (*(p))
#define rsqrtf(a) (1.0f / sqrtf(a))
#define __expf(a) expf(a)
#define __logf(a) logf(a)
#define __fdividef(a, b) ((a) / (b))
#define __popc(a) __builtin_popcount(a)
#define __popcll(a) __builtin_popcountll(a)
#define __ffs(a) __builtin_ffs(a)
#define __ffsll(a) __builtin_ffsll(a)

SIM_INLINE uint64_t load_read_only(const uint64_t *p) {
    return *(const volatile uint64_t *)p;
}

#define atomic_add_global(p, v) atomicAdd(p, v)

typedef uint64_t shared_address_t;

SIM_INLINE shared_address_t shared_address(const void *p) {
    return (shared_address_t)(uintptr_t)p;
}

SIM_INLINE shared_address_t load_shared_address(shared_address_t address) {
    return *(const volatile shared_address_t *)(uintptr_t)address;
}

SIM_INLINE int32_t add_min(int32_t a, int32_t b, int32_t c) {
    const int32_t sum = (int32_t)((uint32_t)a + (uint32_t)b);
    return sum < c ? sum : c;
}

SIM_INLINE uint32_t add_min_u16x2(uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t low = (uint16_t)(a + b), high = (uint16_t)((a >> 16) + (b >> 16));
    return (low < (uint16_t)c ? low : (uint16_t)c) | (high < c >> 16 ? high : c >> 16) << 16;
}

// ---- Warps: shuffles and votes ----

#define SIM_DEFINE_SHUFFLE(type, suffix)                                                                               \
    SIM_INLINE type sim_shuffle_##suffix(enum sim_shuffle_kind kind, uint64_t mask, type value, uint32_t operand,      \
                                         uint32_t width) {                                                             \
        union {                                                                                                        \
            uint64_t bits;                                                                                             \
            type value;                                                                                                \
        } box = {0};                                                                                                   \
        box.value = value;                                                                                             \
        box.bits = sim_shuffle(kind, mask, box.bits, operand, width);                                                  \
        return box.value;                                                                                              \
    }
SIM_ARITHMETIC_TYPES(SIM_DEFINE_SHUFFLE)

// The width may be omitted. The macro then takes the warp's width, which it appends to the arguments.
#define SIM_SHUFFLE(kind, mask, ...) SIM_SHUFFLE_OF(kind, mask, __VA_ARGS__, WARP_WIDTH, 0)
#define SIM_SHUFFLE_OF(kind, mask, value, operand, width, ...)                                                         \
    SIM_BY_TYPE(sim_shuffle, (value) + 0)(kind, (uint64_t)(mask), value, (uint32_t)(operand), width)

#define __shfl_down_sync(mask, ...) SIM_SHUFFLE(SIM_SHUFFLE_DOWN, mask, __VA_ARGS__)
#define __shfl_up_sync(mask, ...) SIM_SHUFFLE(SIM_SHUFFLE_UP, mask, __VA_ARGS__)
#define __shfl_xor_sync(mask, ...) SIM_SHUFFLE(SIM_SHUFFLE_XOR, mask, __VA_ARGS__)
#define __shfl_sync(mask, ...) SIM_SHUFFLE(SIM_SHUFFLE_INDEX, mask, __VA_ARGS__)
#define __shfl_down(...) SIM_SHUFFLE(SIM_SHUFFLE_DOWN, SIM_ALL_LANES, __VA_ARGS__)
#define __shfl_up(...) SIM_SHUFFLE(SIM_SHUFFLE_UP, SIM_ALL_LANES, __VA_ARGS__)
#define __shfl_xor(...) SIM_SHUFFLE(SIM_SHUFFLE_XOR, SIM_ALL_LANES, __VA_ARGS__)
#define __shfl(...) SIM_SHUFFLE(SIM_SHUFFLE_INDEX, SIM_ALL_LANES, __VA_ARGS__)
#define __reduce_add_sync(mask, v) sim_shuffle_u(SIM_SHUFFLE_ADD, (uint64_t)(mask), v, 0, WARP_WIDTH)
#define reduce_add(v) __reduce_add_sync(SIM_ALL_LANES, v)
#define shuffle_down(v, n) __shfl_down(v, n)
#define shuffle_xor(v, mask) __shfl_xor(v, mask)

// 32-bit masks as in CUDA on warps of 32 lanes, 64-bit masks as in HIP on warps of 64.
#if WARP_WIDTH == 64
typedef uint64_t sim_lanes;
#else
typedef uint32_t sim_lanes;
#endif
#define __ballot_sync(mask, predicate) ((sim_lanes)sim_ballot((uint64_t)(mask), (predicate) != 0))
#define __any_sync(mask, predicate) (__ballot_sync(mask, predicate) != 0)
#define __all_sync(mask, predicate) (__ballot_sync(mask, !(predicate)) == 0)
#define __ballot(predicate) __ballot_sync(SIM_ALL_LANES, predicate)
#define __any(predicate) __any_sync(SIM_ALL_LANES, predicate)
#define __all(predicate) __all_sync(SIM_ALL_LANES, predicate)
#define __activemask() ((sim_lanes)sim_active_lanes())

// ---- Atomics: every one returns the old value ----

#define SIM_ATOMIC_INTEGER(operation, p) SIM_BY_INTEGER(sim_atomic_##operation, *(p))
#define SIM_BY_INTEGER(family, expression)                                                                             \
    _Generic((expression), int                                                                                         \
             : family##_i, unsigned                                                                                    \
             : family##_u, long                                                                                        \
             : family##_l, unsigned long                                                                               \
             : family##_ul, long long                                                                                  \
             : family##_ll, unsigned long long                                                                         \
             : family##_ull)

#define atomicAdd(p, v) SIM_BY_TYPE(sim_atomic_add, *(p))(p, v)
#define atomicSub(p, v) SIM_ATOMIC_INTEGER(sub, p)(p, v)
#define atomicMin(p, v) SIM_BY_TYPE(sim_atomic_min, *(p))(p, v)
#define atomicMax(p, v) SIM_BY_TYPE(sim_atomic_max, *(p))(p, v)
#define atomicExch(p, v) SIM_BY_TYPE(sim_atomic_exchange, *(p))(p, v)
#define atomicAnd(p, v) SIM_ATOMIC_INTEGER(and, p)(p, v)
#define atomicOr(p, v) SIM_ATOMIC_INTEGER(or, p)(p, v)
#define atomicXor(p, v) SIM_ATOMIC_INTEGER(xor, p)(p, v)
#define atomicCAS(p, compare, v) SIM_ATOMIC_INTEGER(cas, p)(p, compare, v)

// ---- Stops ----

#define __trap() sim_trap("__trap()")

// ---- Bytes ----

#define memcpy(to, from, bytes) sim_memcpy(to, from, bytes)
#define memset(to, byte, bytes) sim_memset(to, byte, bytes)

#endif
