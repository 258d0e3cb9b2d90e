// Kernels whose blocks may run side by side, and kernels whose blocks may not.
#include "device/kernel/kernel.h"

#if !BANKSHOT_SIM
#error "for the simulator"
#endif
int getpid(void);
int kill(int process, int signal);
int printf(const char *format, ...);

static __device__ uint32_t of_file[64];

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// Each block depends on its own elements.
KERNEL void apart(const uint32_t *in, uint32_t *out) {
    __shared__ uint32_t tile[256];
    tile[threadIdx.x] = in[INDEX] * 3;
    __syncthreads();
    for (uint32_t i = 0; i < 8; i++) {
        out[INDEX] += tile[(threadIdx.x + i * blockIdx.x) % blockDim.x];
    }
}

// A block reads what the one before it writes.
KERNEL void from_neighbour(uint32_t *sums) {
    if (threadIdx.x == 0) {
        sums[blockIdx.x + 1] = sums[blockIdx.x] * 5 + blockIdx.x;
    }
}

// Only the last block stores, and it stores to what the others read.
KERNEL void last_stores(uint32_t *data, uint32_t *out) {
    out[INDEX] = data[INDEX] + data[INDEX / 2];
    if (blockIdx.x + 1 == gridDim.x) {
        data[threadIdx.x] = 0;
    }
}

// All blocks write the same bytes; the last one's stay.
KERNEL void overwrite(uint8_t *out) {
    out[threadIdx.x * 3] = (uint8_t)(blockIdx.x + threadIdx.x);
}

// Blocks read and write every third group of 64 bytes, and each a different number of bytes.
KERNEL void strided(const uint8_t *in, uint8_t *out) {
    const uint32_t place = (INDEX * 192 + blockIdx.x % 5) % (61 * 256 * 4);
    for (uint32_t i = 0; i < blockIdx.x % 3 + 1; i++) {
        out[place + 2 * i] = (uint8_t)(in[place] + blockIdx.x);
    }
}

// Blocks write all over a large buffer, each also to pages of the block before it, and tell which process ran them.
KERNEL void over_pages(uint32_t *out, uint32_t *processes) {
    const uint64_t place = (uint64_t)INDEX * 512;
    out[place] += INDEX;
    if (INDEX >= 3) {
        out[place - 3 * 512 + 1] = INDEX;
    }
    if (threadIdx.x == 0) {
        processes[blockIdx.x] = (uint32_t)getpid();
    }
}

// The order of the sums decides how they are rounded, and the order of the tickets who gets which.
KERNEL void in_order(float *sum, uint32_t *ticket, uint32_t *order) {
    if (threadIdx.x == 0) {
        atomicAdd(sum, 1.0f / (float)(blockIdx.x + 1));
        order[blockIdx.x] = atomicAdd(ticket, 1);
    }
}

// Atomics on 64 slices of L2 at most.
KERNEL void scattered_atomics(uint32_t *words) {
    atomicAdd(&words[INDEX % 64 * 64], 1);
}

KERNEL void file_scope(uint32_t *out) {
    of_file[blockIdx.x % 64] = blockIdx.x;
    out[INDEX] = of_file[blockIdx.x % 64];
}

KERNEL void prints(uint32_t *out) {
    out[INDEX] = blockIdx.x;
    if (threadIdx.x == 0) {
        printf("block %u\n", blockIdx.x);
    }
}

KERNEL void kills_workers(uint32_t *out, uint32_t process) {
    if (threadIdx.x == 0 && getpid() != (int)process) {
        kill(getpid(), 9);
    }
    out[INDEX] = blockIdx.x;
}

// From some block on, each has a fault. The first one's must be named.
KERNEL void strays(uint32_t *out, uint32_t from) {
    out[blockIdx.x < from ? INDEX : INDEX + (1 << 20)] = 1;
}

KERNEL void races(uint32_t *out, uint32_t from) {
    __shared__ uint32_t tile[256];
    tile[blockIdx.x < from ? threadIdx.x : 0] = threadIdx.x;
    out[INDEX] = tile[threadIdx.x];
}
