// A part of the kernel dialect (kernel.h) for kernels that are compiled with WIDTH = 1, 2, 4, 8 or 16: words of so many
// bytes, and accesses to them that compilers leave as they are.
//
//   word_t            an element of WIDTH bytes: an unsigned integer, for 16 a struct of uint32_t x, y, z, w
//   load_global(p), store_global(p, v), load_shared(p), store_shared(p, v)    p: (const) word_t *
//                     one instruction of exactly WIDTH bytes: never merged with another, split or hoisted, and not
//                     dropped or narrowed if the kernel uses all of what it loads
//                     (two global loads of one address may become one on NVIDIA, so load each address once)
//   load_global_l2(p) the same from the level that all units share, in the kernel's order; AMD's goes through L1
//   word_from_u64(u)  a word from the low bits of u; for 16: low half, high half, ~low half, ~high half
//   word_fold(v)      uint32_t: the word's 32-bit parts, xor-ed
#ifndef DEVICE_KERNEL_WORD_H
#define DEVICE_KERNEL_WORD_H

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

#ifdef __HIP__

// ---- AMD ----

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

#elif defined(__CUDACC__)

// ---- NVIDIA ----

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

#else

// ---- C: a volatile access is one access, of its type's width ----

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

#endif

#endif
