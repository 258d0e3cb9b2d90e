// The numbers to sum, which every side can recompute (reduce/reduce_numbers.h).
// Constants: BITS=32,64 FLOATING=0,1
#include "device/kernel/kernel.h"

// Integers: the hash's low bits. Floating point: as many of its upper bits as the type holds exactly, from -1 to 1.
static inline __device__ number_t random_number(uint64_t position) {
    const int64_t bits = (int64_t)mix64(position);
#if FLOATING && BITS == 32
    return (float)(bits >> 40) * (1.0f / (1 << 23));
#elif FLOATING
    return (double)(bits >> 11) * (1.0 / (1ll << 52));
#else
    return (number_t)bits;
#endif
}

KERNEL void fill_numbers(number_t *RESTRICT numbers, uint64_t elements, uint64_t seed) {
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += step) {
        numbers[i] = random_number(seed + i);
    }
}
