// Measures how fast a part adds and takes minima from registers alone, which no kernel can exceed.
//
// A thread has CHAINS values. In every round the operation combines each value with its neighbours of the round before,
// so that no compiler can predict the result and the hardware always has independent instructions.
//   OPERATION    0 add_min, 1 add_min_u16x2, 2 addition, 3 minimum
// Constants: OPERATION=0,1,2,3
#include "device/kernel/kernel.h"

#define CHAINS 16

#if OPERATION == 0
#define APPLY(a, b, c) ((uint32_t)add_min((int32_t)(a), (int32_t)(b), (int32_t)(c)))
#elif OPERATION == 1
#define APPLY(a, b, c) add_min_u16x2(a, b, c)
#elif OPERATION == 2
#define APPLY(a, b, c) ((void)(c), (a) + (b))
#else
#define APPLY(a, b, c) ((void)(c), (int32_t)(a) < (int32_t)(b) ? (a) : (b))
#endif

// Values begin below 2^10, and each minimum keeps the next sums below 2^15.
KERNEL void min_plus_peak(uint32_t *results, uint32_t rounds) {
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t value[CHAINS];
#pragma unroll
    for (int i = 0; i < CHAINS; i++) {
        value[i] = (uint32_t)mix64(thread * CHAINS + i) & 0x03ff03ff;
    }
#pragma unroll 16
    for (uint32_t round = 0; round < rounds; round++) {
        const uint32_t first = value[0], second = value[1];
#pragma unroll
        for (int i = 0; i < CHAINS; i++) {
            const uint32_t next = i + 1 < CHAINS ? value[(i + 1) % CHAINS] : first;
            const uint32_t after = i + 2 < CHAINS ? value[(i + 2) % CHAINS] : i + 2 == CHAINS ? first : second;
            value[i] = APPLY(value[i], next, after);
        }
    }
    uint32_t folded = 0;
#pragma unroll
    for (int i = 0; i < CHAINS; i++) {
        folded ^= value[i];
    }
    results[thread] = folded;
}
