// Latency under load: the first block's first thread follows a chain (levels/levels.cu) while the other blocks read or
// write memory as fast as they can, until the chase ends.
// Constants: WIDTH=16 ITEMS=4 THREADS=512 UNROLL=32 CHUNKS=8
#include "device/kernel/kernel.h"

// Reads one block's next chunk of ITEMS * THREADS words, or writes it in `writes` of four turns.
static inline __device__ uint32_t touch(word_t *at, uint32_t turn, uint32_t writes, uint32_t sum) {
    if (turn % 4 < writes) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            store_global(at + i * THREADS, word_from_u64(turn));
        }
        return sum;
    }
    word_t value[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        value[i] = load_global_l2(at + i * THREADS);
    }
#pragma unroll
    for (int i = ITEMS - 1; i >= 0; i--) {
        sum += value[i].x ^ value[i].w;
    }
    return sum;
}

// state: the address where the chase continues, cycles, ticks, the address where it ended, a flag that it has begun (1)
// or ended (2), and a sum that keeps the compiler from dropping loads. chunks_touched: for each block of traffic, its
// chunks while the flag was 1.
KERNEL void chase_loaded(volatile uint64_t *RESTRICT state, word_t *RESTRICT memory, uint32_t chunks,
                         uint64_t *RESTRICT chunks_touched, uint32_t rounds, uint32_t writes) {
    if (blockIdx.x > 0) {
        uint32_t sum = 0, turn = 0, chunk = (blockIdx.x - 1) % chunks;
        uint64_t counted = 0;
        while (state[4] < 2) { // reading the flag takes as long as a chunk
            counted += state[4] == 1 ? CHUNKS : 0;
            for (int i = 0; i < CHUNKS; i++) {
                sum = touch(memory + (uint64_t)chunk * (ITEMS * THREADS) + threadIdx.x, turn++, writes, sum);
                chunk = chunk + gridDim.x >= chunks ? (blockIdx.x - 1) % chunks : chunk + gridDim.x;
            }
        }
        if (threadIdx.x == 0) {
            chunks_touched[blockIdx.x - 1] = counted;
        }
        if (sum == 1) {
            state[5] = sum;
        }
        return;
    }
    if (threadIdx.x > 0) {
        return;
    }
    // The traffic has some time to begin.
    const uint64_t begin = cycle_counter();
    while (cycles_since(begin) < 200000) {
    }
    uint64_t at = state[0];
    state[4] = 1;
    const uint64_t ticks = time_counter();
    const uint64_t start = cycle_counter();
    for (uint32_t round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            at = *(const volatile uint64_t *)(const void *)at;
        }
    }
    state[1] = CYCLE_COUNTER_BITS < 64 ? 0 : cycles_since(start);
    state[2] = time_counter() - ticks;
    state[3] = at;
    state[0] = at;
    state[4] = 2;
}
