// Latency of constant memory: one thread follows a chain through a table that the compiler builds.
//
// Element i names element i + STEP modulo ELEMENTS; constants have no prefetcher that could predict it.
// COUNT is the smallest power of two that holds the elements.
// Constants: COUNT=16,1024 ELEMENTS=11 LINE=64 STEP=7 UNROLL=32
#include "device/kernel/kernel.h"

#define NEXT(i)                                                                                                        \
    { (((i) + STEP) % ELEMENTS) * LINE }
#define NEXT_1(i) NEXT(i)
#define NEXT_2(i) NEXT_1(i), NEXT_1((i) + 1)
#define NEXT_4(i) NEXT_2(i), NEXT_2((i) + 2)
#define NEXT_8(i) NEXT_4(i), NEXT_4((i) + 4)
#define NEXT_16(i) NEXT_8(i), NEXT_8((i) + 8)
#define NEXT_32(i) NEXT_16(i), NEXT_16((i) + 16)
#define NEXT_64(i) NEXT_32(i), NEXT_32((i) + 32)
#define NEXT_128(i) NEXT_64(i), NEXT_64((i) + 64)
#define NEXT_256(i) NEXT_128(i), NEXT_128((i) + 128)
#define NEXT_512(i) NEXT_256(i), NEXT_256((i) + 256)
#define NEXT_1024(i) NEXT_512(i), NEXT_512((i) + 512)
#define ALL_OF(count) NEXT_##count(0)
#define ALL(count) ALL_OF(count)

#if defined(__CUDACC__) || defined(__HIP__)
#define CONSTANT __constant__
#else
#define CONSTANT
#endif

static CONSTANT const uint32_t table[COUNT][LINE / 4] = {ALL(COUNT)};

// cursor: the place in the table where the chase goes on; record as in levels.cu.
KERNEL void chase_constant(uint64_t *RESTRICT cursor, uint64_t *RESTRICT record, uint32_t warm_rounds, uint32_t rounds,
                           uint64_t zero) {
    uint32_t at = (uint32_t)(cursor[0] + zero);
#define STEPS(rounds)                                                                                                  \
    for (uint32_t round = 0; round < (rounds); round++) {                                                              \
        _Pragma("unroll") for (int i = 0; i < UNROLL; i++) {                                                           \
            at = *(const uint32_t *)(const void *)((const unsigned char *)(const void *)table + at);                   \
        }                                                                                                              \
    }
    STEPS(warm_rounds)
    const uint64_t ticks = time_counter();
    const uint64_t start = cycle_counter();
    STEPS(rounds)
    const uint64_t cycles = cycles_since(start);
    record[0] = CYCLE_COUNTER_BITS < 64 ? 0 : cycles;
    record[1] = time_counter() - ticks;
    record[2] = at;
    cursor[0] = at;
}
