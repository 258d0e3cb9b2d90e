// The kernel dialect: what a .cu file may use so that it compiles unchanged with nvcc, NVRTC, hipcc, hiprtc, in the
// simulator and, as C11, with gcc and clang. Where CUDA and HIP agree, the dialect uses CUDA's names (threadIdx,
// __shared__, __syncthreads, atomicAdd, clock64). It has separate names only where they differ.
//
//   KERNEL            an entry point: KERNEL void copy(...)
//   RESTRICT          no other pointer reaches this memory
//   WARP_WIDTH        lanes of a warp, a constant that the device layer gives
//   DYNAMIC_SHARED(type, name)    the launch's dynamic shared memory, as a pointer, aligned to 16 bytes
//   unit_index()      the compute unit that runs this block, as the part numbers it; the simulator has a unit a block
//   lane_index()      this lane's number in its warp, from 0
//   shuffle_down(v, n), shuffle_xor(v, mask)    of a 32- or 64-bit type, by all lanes of the warp
//   warp_barrier()    the lanes of a warp see each other's stores
//   cycle_counter()   the compute unit's clock cycles, CYCLE_COUNTER_BITS wide (it wraps)
//   cycles_since(c)   cycles since the counter was c, even if it has wrapped once
//   time_counter()    a timer of constant rate (the device layer's time_counter_mhz), uint64_t
//   load_read_only(p) loads a uint64_t by the path for read-only data; AMD's scalar cache if all lanes share p
//   atomic_add_global(p, v)    atomicAdd for which the compiler need not check whether uint64_t *p is in shared memory
//   shared_address_t, shared_address(p), load_shared_address(a)    an address in shared memory in the form of
//                     the GPU's loads, and a load of such an address from a, by one instruction
//   copy_16_bytes(shared, global)    begins to copy 16 aligned bytes to shared memory, past the registers if the GPU
//                     can
//   await_copies()    waits for this thread's copies
//   await_last_launch()    lets the next launch begin, and waits until the last one has ended, which is only
//                     necessary where a launch may overlap with the last one (struct launch)
//   add_min(a, b, c)  min(a + b, c) of int32_t, by the GPU's fused instruction if it has one
//   add_min_u16x2(a, b, c)    the same for both 16-bit halves of a uint32_t; no sum may exceed 65535
//   FOLD_WARP(v, operation)    the variable v becomes the fold of all lanes' v: FOLD_WARP(sum, +=)
//   xor_block(sums, count, of_block, v)    xors uint32_t v of all threads of a block into one of the `count` words
//                     `sums` in global memory; *of_block is in shared memory, and must be 0 since a barrier
//
// Fixed-width types are those of <stdint.h>. If the kernel is compiled with WIDTH, it has words of this many bytes
// (device/kernel/word.h).
//
// If it is compiled with BITS = 32 or 64 and FLOATING = 0 or 1:
//
//   number_t          float or double; an unsigned integer, whose sums wrap around as the signed one's do
//
// If the GPU adds a warp's integers in one instruction (NVIDIA from sm_80 on; elsewhere this is undefined):
//   reduce_add(v)     uint32_t: the sum of uint32_t v over all lanes of the warp, in every lane
//
// For random data that host and kernel can both compute:
//   mix64(u)          uint64_t: a hash of uint64_t u, the same as the host's in util/random.h
//   pattern64(u)      uint64_t: a cheaper hash, also the same as the host's
#ifndef DEVICE_KERNEL_KERNEL_H
#define DEVICE_KERNEL_KERNEL_H

#if defined(__CUDACC__) || defined(__HIP__)

#define KERNEL extern "C" __global__
#define RESTRICT __restrict__

// The run-time compilers have no <stdint.h>, and their versions differ in which types they know. Macros clash with none
// of these types. 64 bits are long long everywhere, because the atomics are overloaded for that.
#if defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__)
#define int8_t signed char
#define int16_t short
#define int32_t int
#define uint8_t unsigned char
#define uint16_t unsigned short
#define uint32_t unsigned int
#else
#ifdef __HIP__
#include <hip/hip_runtime.h>
#endif
#include <stdint.h>
#endif
#define int64_t long long
#define uint64_t unsigned long long

#define DYNAMIC_SHARED(type, name)                                                                                     \
    extern __shared__ __attribute__((aligned(16))) unsigned char dynamic_shared_bytes[];                               \
    type *name = (type *)dynamic_shared_bytes

#else
#include "device/kernel/kernel_c11.h"
#endif

#ifdef __HIP__
// A call of the dialect's functions has the line of the kernel that makes it.
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
#endif

#ifdef __HIP__

// ---- AMD ----

// On gfx11 the shader clock is a hardware register of 20 bits; gfx12 has more bits again.
#ifdef __GFX11__
#define CYCLE_COUNTER_BITS 20
#else
#define CYCLE_COUNTER_BITS 64
#endif

static inline __device__ uint32_t lane_index(void) {
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

#define unit_index() __smid()
#define cycle_counter() __builtin_readcyclecounter()

static inline __device__ uint64_t time_counter(void) {
#if defined(__GFX11__) || defined(__GFX12__)
    return __builtin_amdgcn_s_sendmsg_rtnl(0x83); // MSG_RTN_GET_REALTIME
#else
    return __builtin_amdgcn_s_memrealtime();
#endif
}

static inline __device__ void warp_barrier(void) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

#define shuffle_down(v, n) __shfl_down(v, n)
#define shuffle_xor(v, mask) __shfl_xor(v, mask)

// Numbers of LLVM's address spaces: 1 global, 3 shared (LDS), 4 constant.
static inline __device__ uint64_t load_read_only(const uint64_t *p) {
    return *(const __attribute__((address_space(4))) uint64_t *)p;
}

#define atomic_add_global(p, v) atomicAdd(p, v)

typedef uint32_t shared_address_t;

static inline __device__ shared_address_t shared_address(const void *p) {
    return (shared_address_t)(uint64_t)(const __attribute__((address_space(3))) void *)p;
}

static inline __device__ shared_address_t load_shared_address(shared_address_t address) {
    return *(const volatile __attribute__((address_space(3))) shared_address_t *)(uint64_t)address;
}

static inline __device__ int32_t add_min(int32_t a, int32_t b, int32_t c) {
    return a + b < c ? a + b : c;
}

typedef uint16_t u16x2 __attribute__((ext_vector_type(2)));

static inline __device__ uint32_t add_min_u16x2(uint32_t a, uint32_t b, uint32_t c) {
    const u16x2 sum = __builtin_bit_cast(u16x2, a) + __builtin_bit_cast(u16x2, b);
    return __builtin_bit_cast(uint32_t, __builtin_elementwise_min(sum, __builtin_bit_cast(u16x2, c)));
}

#elif defined(__CUDACC__)

// ---- NVIDIA ----

#define CYCLE_COUNTER_BITS 64

static inline __device__ uint32_t lane_index(void) {
    uint32_t lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

static inline __device__ uint32_t unit_index(void) {
    uint32_t unit;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(unit));
    return unit;
}

#define cycle_counter() ((uint64_t)clock64())

static inline __device__ uint64_t time_counter(void) {
    uint64_t nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    return nanoseconds;
}

#define warp_barrier() __syncwarp()
#define shuffle_down(v, n) __shfl_down_sync(0xffffffffu, v, n)
#define shuffle_xor(v, mask) __shfl_xor_sync(0xffffffffu, v, mask)

static inline __device__ uint64_t load_read_only(const uint64_t *p) {
    uint64_t value;
    asm volatile("ld.global.nc.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(p)));
    return value;
}

static inline __device__ uint64_t atomic_add_global(uint64_t *p, uint64_t v) {
    uint64_t old;
    asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(old) : "l"(__cvta_generic_to_global(p)), "l"(v) : "memory");
    return old;
}

typedef uint32_t shared_address_t;

static inline __device__ shared_address_t shared_address(const void *p) {
    return (shared_address_t)__cvta_generic_to_shared(p);
}

static inline __device__ shared_address_t load_shared_address(shared_address_t address) {
    shared_address_t value;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(address));
    return value;
}

#if __CUDA_ARCH__ >= 800
#define reduce_add(v) __reduce_add_sync(0xffffffffu, v)
#endif

#if __CUDA_ARCH__ >= 800
static inline __device__ void copy_16_bytes(void *shared, const void *global) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"(shared_address(shared)), "l"(__cvta_generic_to_global(global))
                 : "memory");
}
#define await_copies() asm volatile("cp.async.wait_all;" : : : "memory")
#endif

#if __CUDA_ARCH__ >= 900
#define await_last_launch() asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" : : : "memory")
#endif

static inline __device__ int32_t add_min(int32_t a, int32_t b, int32_t c) {
#if __CUDACC_VER_MAJOR__ >= 12
    return __viaddmin_s32(a, b, c);
#else
    return a + b < c ? a + b : c;
#endif
}

static inline __device__ uint32_t add_min_u16x2(uint32_t a, uint32_t b, uint32_t c) {
#if __CUDACC_VER_MAJOR__ >= 12
    return __viaddmin_u16x2(a, b, c);
#else
    return __vminu2(__vadd2(a, b), c);
#endif
}

#endif

#ifndef await_copies
#define copy_16_bytes(shared, global) (void)(*(uint4 *)(void *)(shared) = *(const uint4 *)(const void *)(global))
#define await_copies() (void)0
#endif

#ifndef await_last_launch
#define await_last_launch() (void)0
#endif

#ifdef BITS
#if FLOATING && BITS == 32
typedef float number_t;
#elif FLOATING
typedef double number_t;
#elif BITS == 32
typedef uint32_t number_t;
#else
typedef uint64_t number_t;
#endif
#endif // BITS

#ifdef WIDTH
#include "device/kernel/word.h"
#endif

static inline __device__ uint64_t cycles_since(uint64_t start) {
    const uint64_t cycles = cycle_counter() - start;
    return CYCLE_COUNTER_BITS < 64 ? cycles & ((1ull << (CYCLE_COUNTER_BITS % 64)) - 1) : cycles;
}

#define FOLD_WARP(value, operation)                                                                                    \
    for (int fold_distance = WARP_WIDTH / 2; fold_distance > 0; fold_distance /= 2)                                    \
    (value) operation shuffle_xor(value, fold_distance)

static __device__ __forceinline__ void xor_block(uint32_t *sums, uint32_t count, uint32_t *of_block, uint32_t value) {
    FOLD_WARP(value, ^=);
    if (threadIdx.x % WARP_WIDTH == 0) {
        atomicXor(of_block, value);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicXor(&sums[blockIdx.x % count], *of_block);
    }
}

// The finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
static inline __device__ uint64_t mix64(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
    return value ^ (value >> 31);
}

// A Weyl sequence with its halves swapped, because the upper one is mixed better, and with its complement above.
static inline __device__ uint64_t pattern64(uint64_t position) {
    const uint32_t product = (uint32_t)position * 0x9e3779b1u;
    const uint32_t hash = product >> 16 | product << 16;
    return hash | (uint64_t)~hash << 32;
}

#ifdef __HIP__
#pragma pop_macro("__device__")
#endif

#endif
