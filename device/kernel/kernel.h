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
//   can await_copies()    waits for this thread's copies add_min(a, b, c)  min(a + b, c) of int32_t, by the GPU's fused
//   instruction if it has one add_min_u16x2(a, b, c)    the same for both 16-bit halves of a uint32_t; no sum may
//   exceed 65535
//
// Fixed-width types are those of <stdint.h>. If the kernel is compiled with WIDTH = 1, 2, 4, 8 or 16:
//
//   word_t            an element of WIDTH bytes: an unsigned integer, for 16 a struct of uint32_t x, y, z, w
//   load_global(p), store_global(p, v), load_shared(p), store_shared(p, v)    p: (const) word_t *
//                     one instruction of exactly WIDTH bytes: never merged with another, split or hoisted, and not
//                     dropped or narrowed if the kernel uses all of what it loads
//                     (two global loads of one address may become one on NVIDIA, so load each address once)
//   load_global_l2(p) the same from the level that all units share, in the kernel's order; AMD's goes through L1
//   word_from_u64(u)  a word from the low bits of u; for 16: low half, high half, ~low half, ~high half
//   word_fold(v)      uint32_t: the word's 32-bit parts, xor-ed
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

#ifdef WIDTH
#if WIDTH == 1
typedef uint8_t word_t;
#elif WIDTH == 2
typedef uint16_t word_t;
#elif WIDTH == 4
typedef uint32_t word_t;
#elif WIDTH == 8
typedef uint64_t word_t;
#elif WIDTH == 16
typedef struct __attribute__((aligned(16))) {
    uint32_t x, y, z, w;
} word_t;
#else
#error "WIDTH is 1, 2, 4, 8 or 16"
#endif

static __device__ __forceinline__ word_t word_from_u64(uint64_t u) {
#if WIDTH == 16
    uint32_t low = (uint32_t)u, high = (uint32_t)(u >> 32);
    word_t word = {low, high, ~low, ~high};
    return word;
#else
    return (word_t)u;
#endif
}

static __device__ __forceinline__ uint32_t word_fold(word_t word) {
#if WIDTH == 16
    return word.x ^ word.y ^ word.z ^ word.w;
#elif WIDTH == 8
    return (uint32_t)word ^ (uint32_t)(word >> 32);
#else
    return word;
#endif
}
#endif // WIDTH

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

#ifdef WIDTH
// The compiler cannot see through the empty asm, so an address that comes out of it can neither be merged with a
// neighbour nor be a loop invariant. (An asm on the value, too, would wait for each load before the next one starts.)
#if WIDTH == 16
typedef uint32_t word_memory __attribute__((ext_vector_type(4)));
#define WORD_TO_MEMORY(v)                                                                                              \
    word_memory {                                                                                                      \
        (v).x, (v).y, (v).z, (v).w                                                                                     \
    }
#define WORD_FROM_MEMORY(m)                                                                                            \
    word_t {                                                                                                           \
        (m).x, (m).y, (m).z, (m).w                                                                                     \
    }
#else
typedef word_t word_memory;
#define WORD_TO_MEMORY(v) (v)
#define WORD_FROM_MEMORY(m) (m)
#endif

typedef __attribute__((address_space(1))) word_memory global_word;
typedef __attribute__((address_space(3))) word_memory shared_word;

static inline __device__ word_t load_global(const word_t *p) {
    const global_word *address = (const global_word *)p;
    __asm__ volatile("" : "+v"(address));
    const word_memory value = *address;
    return WORD_FROM_MEMORY(value);
}

#define load_global_l2(p) load_global(p)

static inline __device__ void store_global(word_t *p, word_t v) {
    global_word *address = (global_word *)p;
    __asm__ volatile("" : "+v"(address));
    *address = WORD_TO_MEMORY(v);
}

// Volatile costs nothing in LDS; in global memory it would bypass the caches and wait after each access.
static inline __device__ word_t load_shared(const word_t *p) {
    const word_memory value = *(const volatile shared_word *)p;
    return WORD_FROM_MEMORY(value);
}

static inline __device__ void store_shared(word_t *p, word_t v) {
    *(volatile shared_word *)p = WORD_TO_MEMORY(v);
}
#endif // WIDTH

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

#ifdef WIDTH
// Each access is one instruction of PTX. A word's registers are operand 0 (0 to 3) of a load and 1 (1 to 4) of a store.
#if WIDTH == 16
typedef word_t word_register;
#define PTX_LOAD(space) "ld." space ".v4.u32 {%0, %1, %2, %3}, [%4];"
#define PTX_STORE(space) "st." space ".v4.u32 [%0], {%1, %2, %3, %4};"
#define PTX_WORD(access, v) access "r"((v).x), access "r"((v).y), access "r"((v).z), access "r"((v).w)
#elif WIDTH == 8
typedef uint64_t word_register;
#define PTX_TYPE "u64"
#define PTX_WORD(access, v) access "l"(v)
#elif WIDTH == 4
typedef uint32_t word_register;
#define PTX_TYPE "u32"
#define PTX_WORD(access, v) access "r"(v)
#else
typedef uint16_t word_register; // PTX has no 8-bit registers
#define PTX_WORD(access, v) access "h"(v)
#endif
#if WIDTH == 2
#define PTX_TYPE "u16"
#elif WIDTH == 1
#define PTX_TYPE "u8"
#endif
#ifdef PTX_TYPE
#define PTX_LOAD(space) "ld." space "." PTX_TYPE " %0, [%1];"
#define PTX_STORE(space) "st." space "." PTX_TYPE " [%0], %1;"
#endif

static inline __device__ word_t load_global(const word_t *p) {
    word_register value;
    asm volatile(PTX_LOAD("global") : PTX_WORD("=", value) : "l"(__cvta_generic_to_global(p)));
    return (word_t)value;
}

static inline __device__ word_t load_global_l2(const word_t *p) {
    word_register value;
    asm volatile(PTX_LOAD("volatile.global") : PTX_WORD("=", value) : "l"(__cvta_generic_to_global(p)));
    return (word_t)value;
}

static inline __device__ void store_global(word_t *p, word_t v) {
    word_register value = v;
    asm volatile(PTX_STORE("global") : : "l"(__cvta_generic_to_global(p)), PTX_WORD("", value) : "memory");
}

// Volatile costs nothing in shared memory, and keeps two loads of one address from becoming one; in global memory it
// would bypass L1.
static inline __device__ word_t load_shared(const word_t *p) {
    word_register value;
    asm volatile(PTX_LOAD("volatile.shared") : PTX_WORD("=", value) : "l"(__cvta_generic_to_shared(p)));
    return (word_t)value;
}

static inline __device__ void store_shared(word_t *p, word_t v) {
    word_register value = v;
    asm volatile(PTX_STORE("volatile.shared") : : "l"(__cvta_generic_to_shared(p)), PTX_WORD("", value) : "memory");
}
#endif // WIDTH

#else

// ---- C: a volatile access is one access, of its type's width ----

#ifdef WIDTH
#if WIDTH == 16
typedef uint32_t sim_word_memory __attribute__((vector_size(16)));
#define SIM_WORD_PARTS(v)                                                                                              \
    { (v).x, (v).y, (v).z, (v).w }
#define SIM_MEMORY_PARTS(m)                                                                                            \
    { (m)[0], (m)[1], (m)[2], (m)[3] }
#else
typedef word_t sim_word_memory;
#define SIM_WORD_PARTS(v) (v)
#define SIM_MEMORY_PARTS(m) (m)
#endif

SIM_INLINE word_t load_global(const word_t *p) {
    const sim_word_memory memory = *(const volatile sim_word_memory *)p;
    const word_t word = SIM_MEMORY_PARTS(memory);
    return word;
}

#define load_global_l2(p) load_global(p)

SIM_INLINE void store_global(word_t *p, word_t v) {
    const sim_word_memory memory = SIM_WORD_PARTS(v);
    *(volatile sim_word_memory *)p = memory;
}

SIM_INLINE word_t load_shared(const word_t *p) {
    return load_global(p);
}

SIM_INLINE void store_shared(word_t *p, word_t v) {
    store_global(p, v);
}
#endif // WIDTH

#endif

#ifndef await_copies
#define copy_16_bytes(shared, global) (void)(*(uint4 *)(void *)(shared) = *(const uint4 *)(const void *)(global))
#define await_copies() (void)0
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

static inline __device__ uint64_t cycles_since(uint64_t start) {
    const uint64_t cycles = cycle_counter() - start;
    return CYCLE_COUNTER_BITS < 64 ? cycles & ((1ull << (CYCLE_COUNTER_BITS % 64)) - 1) : cycles;
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

#endif
