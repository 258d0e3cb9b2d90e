// Wrong kernels, each with one fault. A comment `fault NAME` marks the line that the error must name.
#include "device/kernel/kernel.h"

KERNEL void beyond_end(const uint32_t *in, uint32_t *out, uint32_t count) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= count) {
        out[i] = in[0]; // fault beyond_end
    }
}

KERNEL void before_start(const uint32_t *in, uint32_t *out) {
    out[threadIdx.x] = in[(int32_t)threadIdx.x - 1]; // fault before_start
}

KERNEL void null_pointer(uint32_t *out) {
    out[threadIdx.x] = 1; // fault null_pointer
}

KERNEL void misaligned(uint8_t *out) {
    *(uint32_t *)(void *)(out + 2 * threadIdx.x) = 1; // fault misaligned
}

KERNEL void beyond_static(uint32_t *out) {
    __shared__ uint32_t tile[64];
    tile[threadIdx.x] = 1; // fault beyond_static
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

KERNEL void beyond_dynamic(uint32_t *out) {
    DYNAMIC_SHARED(uint32_t, tile);
    tile[threadIdx.x] = 1; // fault beyond_dynamic
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

KERNEL void through_copy(uint32_t *out) {
    memset(out + threadIdx.x, 0, 16); // fault through_copy
}

KERNEL void foreign_local(uint64_t *out) {
    __shared__ uint32_t *shared;
    uint32_t own[4] = {threadIdx.x, 1, 2, 3};
    if (threadIdx.x == 0) {
        shared = &own[out[1]];
    }
    __syncthreads();
    out[0] = *shared + own[out[1]]; // fault foreign_local
}

KERNEL void early_return(uint32_t *out, uint32_t count) {
    if (threadIdx.x >= count) {
        return;
    }
    out[threadIdx.x] = 1;
    __syncthreads(); // fault early_return
}

KERNEL void split_barrier(uint32_t *out) {
    if (threadIdx.x < 32) {
        out[0] = 1;
        __syncthreads(); // fault split_barrier
    } else {
        out[1] = 2;
        __syncthreads(); // other split_barrier
    }
}

KERNEL void read_after_write(uint32_t *out) {
    __shared__ uint32_t tile[256];
    tile[threadIdx.x] = threadIdx.x;                       // other read_after_write
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x]; // fault read_after_write
}

KERNEL void write_after_read(uint32_t *out) {
    __shared__ uint32_t tile[256];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[(threadIdx.x + 128) % 256]; // other write_after_read
    tile[threadIdx.x] = 0;                              // fault write_after_read
}

KERNEL void two_writers(uint32_t *out) {
    __shared__ uint32_t one;
    one = threadIdx.x; // fault two_writers
    __syncthreads();
    out[threadIdx.x] = one;
}

KERNEL void atomic_and_plain(uint32_t *out) {
    __shared__ uint32_t sum;
    if (threadIdx.x == 0) {
        sum = 0; // other atomic_and_plain
    }
    atomicAdd(&sum, 1u); // fault atomic_and_plain
    __syncthreads();
    out[threadIdx.x] = sum;
}

KERNEL void byte_race(uint8_t *out) {
    __shared__ uint32_t words[64];
    if (threadIdx.x < 64) {
        words[threadIdx.x] = 0;
    }
    __syncthreads();
    uint8_t *bytes = (uint8_t *)words;
    bytes[threadIdx.x] = 1;                             // other byte_race
    out[threadIdx.x] = bytes[(threadIdx.x + 64) % 256]; // fault byte_race
}

// Right if the lanes of a warp run in lockstep, wrong if they are independent threads.
KERNEL void within_warp(uint32_t *out) {
    __shared__ volatile uint32_t tile[64];
    tile[threadIdx.x] = threadIdx.x;                 // other within_warp
    out[threadIdx.x] = tile[(threadIdx.x + 1) % 32]; // fault within_warp
}

KERNEL void spin_empty(uint32_t *out) {
    out[0] = 1;
    for (;;) { // fault spin_empty
    }
}

KERNEL void spin_on_memory(volatile uint32_t *flag) {
    while (flag[0] != 123456) { // fault spin_on_memory
    }
}

KERNEL void divide_by_zero(uint32_t *out, uint32_t divisor) {
    out[threadIdx.x] = 100 / divisor; // fault divide_by_zero
}

KERNEL void deep_stack(uint32_t *out) {
    volatile uint32_t huge[1 << 17];
    huge[threadIdx.x] = 1;
    out[0] = huge[threadIdx.x];
}

// 266 KiB: exceeds the stack and the guard page, into the next lane's stack.
static __attribute__((noinline)) uint32_t step_over(uint32_t place) {
    volatile uint32_t wide[68096];
    wide[place] = 1;
    return wide[place];
}

KERNEL void leap(uint32_t *out) {
    if (threadIdx.x == 16)
        out[0] = step_over(out[0] & 1);
}

KERNEL void shuffle_width(uint32_t *out, uint32_t width) {
    out[threadIdx.x] = (uint32_t)__shfl_down_sync(SIM_ALL_LANES, (int)threadIdx.x, 40, width); // fault shuffle_width
}

union pair {
    uint32_t number;
    float real;
};
KERNEL void by_value(union pair pair, uint32_t *out) {
    out[0] = pair.number;
}

KERNEL void too_much_shared(uint32_t *out) {
    __shared__ uint32_t tile[64][1024];
    tile[threadIdx.x % 64][threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[0][threadIdx.x];
}

KERNEL void fine(uint32_t *out) {
    out[threadIdx.x] = threadIdx.x;
}
