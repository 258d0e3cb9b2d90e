// One warp's loads from shared memory, which wait for each other or do not, and atomics.
#include "device/kernel/kernel.h"

#define WORDS 32

// Each load gives the place of the next.
KERNEL void chain(uint32_t *out, uint32_t rounds) {
    __shared__ volatile uint32_t words[WORDS];
    uint32_t at = threadIdx.x;
    words[at] = at;
    __syncthreads();
    for (uint32_t i = 0; i < rounds; i++) {
        at = words[at];
    }
    out[threadIdx.x] = at;
}

// Two such loads in each round, with a computed jump between them.
KERNEL void chain_over_table(uint32_t *out, uint32_t rounds) {
    __shared__ volatile uint32_t words[WORDS];
    uint32_t at = threadIdx.x;
    words[at] = at;
    __syncthreads();
    for (uint32_t i = 0; i < rounds; i++) {
        const uint32_t between = words[at];
        switch (i % 8) {
        case 0: at = words[between]; break;
        case 1: at = words[between ^ 1]; break;
        case 2: at = words[between ^ 2] ^ 3; break;
        case 3: at = words[between ^ 4] ^ 5; break;
        case 4: at = words[between ^ 6] + 1 & 31; break;
        case 5: at = words[between ^ 7] + 2 & 31; break;
        case 6: at = words[between * 3 & 31]; break;
        default: at = words[between * 5 & 31]; break;
        }
    }
    out[threadIdx.x] = at;
}

// Four loads in each round, which do not wait for each other.
KERNEL void apart(uint32_t *out, uint32_t rounds) {
    __shared__ volatile uint32_t words[WORDS];
    const uint32_t lane = threadIdx.x;
    uint32_t sum = 0;
    words[lane] = lane;
    __syncthreads();
    for (uint32_t i = 0; i < rounds; i++) {
        sum += words[lane] + words[lane] + words[lane] + words[lane];
    }
    out[lane] = sum;
}

KERNEL void add_integers(uint32_t *out, uint32_t rounds) {
    for (uint32_t i = 0; i < rounds; i++) {
        atomicAdd(out, 1u);
    }
}

KERNEL void add_floats(float *out, uint32_t rounds) {
    for (uint32_t i = 0; i < rounds; i++) {
        atomicAdd(out, 1.0f);
    }
}

// The compiler can count the rounds, so it moves the loads of several rounds together.
KERNEL void counted(uint32_t *out, uint32_t rounds) {
    const volatile uint32_t *in = out;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        sum += in[threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

// The step is not known when the kernel is compiled, so each round waits for its load.
KERNEL void uncounted(uint32_t *out, uint32_t rounds) {
    const volatile uint32_t *in = out;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < rounds; i += gridDim.x) {
        sum += in[threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

// Loads a tile, and stores it where it was.
KERNEL void tile_in_place(uint32_t *data) {
    __shared__ uint32_t tile[32 * 32];
    uint32_t *from = data + blockIdx.x * 1024;
    for (uint32_t i = 0; i < 32; i++) {
        tile[i * 32 + threadIdx.x] = from[i * 32 + threadIdx.x];
    }
    __syncthreads();
    for (uint32_t i = 0; i < 32; i++) {
        from[i * 32 + threadIdx.x] = tile[i * 32 + (threadIdx.x ^ 1)];
    }
}
