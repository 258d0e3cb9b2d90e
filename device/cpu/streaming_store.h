// Stores that bypass the caches, for sources that are compiled once per instruction set (Makefile) with vectors of
// VECTOR_BYTES.
#ifndef DEVICE_CPU_STREAMING_STORE_H
#define DEVICE_CPU_STREAMING_STORE_H

#include <stdint.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

// STREAM stores to an aligned address and bypasses the caches; STREAM_END orders such stores.
#if defined __x86_64__
#if VECTOR_BYTES == 64
#define STREAM(to, vector) _mm512_stream_si512((void *)(to), (__m512i)(vector))
#elif VECTOR_BYTES == 32
#define STREAM(to, vector) _mm256_stream_si256((void *)(to), (__m256i)(vector))
#else
#define STREAM(to, vector) _mm_stream_si128((void *)(to), (__m128i)(vector))
#endif
#define STREAM_END _mm_sfence()
#elif defined __aarch64__
typedef uint32_t neon_words __attribute__((vector_size(16), may_alias));
#define STREAM(to, vector)                                                                                             \
    __asm__ volatile("stnp %q1, %q2, [%0]"                                                                             \
                     :                                                                                                 \
                     : "r"(to), "w"(*(neon_words *)&(vector)), "w"(((neon_words *)&(vector))[1])                       \
                     : "memory")
#define STREAM_END __asm__ volatile("dmb ishst" : : : "memory")
#else
#define STREAM(to, vector) *(__typeof__(vector) *)(to) = (vector)
#define STREAM_END
#endif

#endif
