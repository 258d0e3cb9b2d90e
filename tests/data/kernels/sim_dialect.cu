// Correct kernels, whose results are compared with the host's (tests/unit/test_sim.c).
#include "device/kernel/kernel.h"

KERNEL void indices(uint32_t *where) {
    const uint32_t block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    where[block * blockDim.x * blockDim.y * blockDim.z + thread] =
        blockIdx.z << 24 | blockIdx.y << 20 | blockIdx.x << 16 | threadIdx.z << 12 | threadIdx.y << 8 | threadIdx.x;
}

enum {
    TILE = 32
};

// PAD 0: the column is read with 32-way conflicts; 1: without conflicts. Blocks of 32x8.
KERNEL void transpose(const float *RESTRICT in, float *RESTRICT out, uint32_t size) {
    __shared__ float tile[TILE][TILE + PAD];
    const uint32_t column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    for (uint32_t i = 0; i < TILE; i += blockDim.y) {
        tile[threadIdx.y + i][threadIdx.x] = in[(row + i) * size + column]; // store: rows
    }
    __syncthreads();
    const uint32_t to_column = blockIdx.y * TILE + threadIdx.x, to_row = blockIdx.x * TILE + threadIdx.y;
    for (uint32_t i = 0; i < TILE; i += blockDim.y) {
        out[(to_row + i) * size + to_column] = tile[threadIdx.x][threadIdx.y + i]; // load: columns
    }
}

// A block's sum in dynamic shared memory.
KERNEL void sum_shared(const int32_t *in, int32_t *out) {
    DYNAMIC_SHARED(int32_t, partial);
    partial[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (uint32_t half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            partial[threadIdx.x] += partial[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = partial[0];
    }
}

// A warp's sum by shuffles, and its largest value by shared memory and warp barriers.
KERNEL void sum_warp(const int32_t *in, int32_t *sums, int32_t *greatest) {
    __shared__ int32_t values[1024];
    const uint32_t thread = threadIdx.x, lane = thread % WARP_WIDTH, warp = thread / WARP_WIDTH;
    int32_t sum = in[thread];
    values[thread] = sum;
    warp_barrier();
    for (uint32_t distance = WARP_WIDTH / 2; distance > 0; distance /= 2) {
        sum += shuffle_down(sum, distance);
        if (lane < distance) {
            values[thread] = max(values[thread], values[thread + distance]);
        }
        warp_barrier();
    }
    if (lane == 0) {
        sums[warp] = sum;
        greatest[warp] = values[thread];
    }
}

// One shuffle of each kind: row k of out gets the result of shuffle k.
KERNEL void shuffles(const double *in, double *out) {
    const uint32_t lane = lane_index();
    const double value = in[lane];
    out[lane] = __shfl_down_sync(0xffffffffu, value, 3);
    out[WARP_WIDTH + lane] = __shfl_up_sync(0xffffffffu, value, 3);
    out[2 * WARP_WIDTH + lane] = __shfl_xor_sync(0xffffffffu, value, 5);
    out[3 * WARP_WIDTH + lane] = __shfl_sync(0xffffffffu, value, 7);
    out[4 * WARP_WIDTH + lane] = __shfl_down_sync(0xffffffffu, value, 3, 8);
    out[5 * WARP_WIDTH + lane] = (double)__shfl_xor_sync(0xffffffffu, (float)value, 1, 16);
}

// Only even lanes shuffle, so an odd lane's value reads as 0.
KERNEL void shuffle_inactive(uint32_t *out) {
    if (threadIdx.x % 2 == 0) {
        out[threadIdx.x] = __shfl_xor_sync(0x55555555u, threadIdx.x + 100u, 1);
    }
}

KERNEL void votes(const uint32_t *in, uint64_t *out) {
    const uint32_t value = in[threadIdx.x];
    const uint64_t odd = __ballot_sync(0xffffffffu, value & 1u);
    if (threadIdx.x == 0) {
        out[0] = odd;
    }
    const bool any = __any_sync(0xffffffffu, value == 5), all = __all_sync(0xffffffffu, value < 1000);
    if (threadIdx.x == 1) {
        out[1] = any;
        out[2] = all;
    }
}

// Histogram bins in shared memory, then in global memory.
KERNEL void histogram(const uint8_t *in, uint32_t *bins, uint32_t count) {
    __shared__ uint32_t own[256];
    for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x) {
        own[i] = 0;
    }
    __syncthreads();
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        atomicAdd(&own[in[i]], 1u);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x) {
        atomicAdd(&bins[i], own[i]);
    }
}

// All threads execute each atomic on a separate word.
KERNEL void atomics(int32_t *i, uint32_t *u, uint64_t *ull, float *f, double *d) {
    const int32_t thread = (int32_t)threadIdx.x;
    atomicAdd(&i[0], thread);
    atomicMin(&i[1], -thread);
    atomicMax(&i[2], thread);
    atomicXor(&u[0], 1u << (threadIdx.x % 32));
    atomicOr(&u[1], 1u << (threadIdx.x % 32));
    atomicAnd(&u[2], ~(1u << (threadIdx.x % 7)));
    atomicExch(&u[3], 77u);
    atomicCAS(&u[4], threadIdx.x, threadIdx.x + 1);
    atomicAdd(&ull[0], 1ull << 33);
    atomicMax(&ull[1], (uint64_t)threadIdx.x << 40);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
}

// Wide accesses, one request each.
KERNEL void vectors(const float4 *in4, float4 *out4, const double2 *in2, double2 *out2) {
    const uint32_t i = threadIdx.x;
    float4 v = in4[i];
    v = make_float4(v.w, v.z, v.y, v.x);
    out4[i] = v;
    double2 w = in2[i];
    w = make_double2(w.y, w.x);
    out2[i] = w;
}

// Lanes leave the loop one after another: lane l adds l + 1 times.
KERNEL void diverge(const uint32_t *in, uint32_t *out) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= threadIdx.x; i++) {
        sum += in[i]; // lanes l with l >= i
    }
    out[threadIdx.x] = sum;
}

__constant__ int32_t weights[4] = {1, 10, 100, 1000};
__device__ int32_t total;

__device__ int32_t weigh(const int32_t *values) {
    int32_t local[4], sum = 0;
    for (int k = 0; k < 4; k++) {
        local[(k + 1) % 4] = values[k] * weights[k];
    }
    for (int k = 0; k < 4; k++) {
        sum += local[k];
    }
    return sum;
}

KERNEL void file_scope(const int32_t *in, int32_t *out) {
    atomicAdd(&total, weigh(in + 4 * threadIdx.x));
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = total;
        total = 0;
    }
}

static __device__ int32_t table[64];

// Each lane loads every second word: of file scope, then of shared memory.
KERNEL void file_scope_then_shared(int32_t *out) {
    __shared__ int32_t words[64];
    words[threadIdx.x] = words[threadIdx.x + 32] = 1;
    __syncthreads();
    const volatile int32_t *const of_file = table, *const of_block = words;
    out[threadIdx.x] = of_file[threadIdx.x * 2] + of_block[threadIdx.x * 2];
}

// Warps that write neighbouring bytes between two barriers do not race.
KERNEL void bytes(uint8_t *out) {
    __shared__ uint8_t mark[256];
    mark[(threadIdx.x * 33) % 256] = (uint8_t)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = mark[threadIdx.x];
}

KERNEL void scalars(int32_t a, uint64_t b, float c, double d, double *out) {
    out[0] = (double)a;
    out[1] = (double)b;
    out[2] = (double)c;
    out[3] = d;
}

// Later warps set the flag that the first one waits for.
KERNEL void wait_for_warp(uint32_t *flag) {
    if (threadIdx.x / WARP_WIDTH == 0) {
        while (atomicAdd(flag, 0u) == 0) {
        }
    } else {
        atomicAdd(flag, 1u);
    }
}

KERNEL void clocks(uint64_t *out) {
    const uint64_t begin = cycle_counter(), start = time_counter();
    out[2] = out[3];
    out[0] = cycle_counter() - begin;
    out[1] = time_counter() - start;
}

KERNEL void words(const word_t *source, word_t *target, uint32_t *folded) {
    store_global(target + threadIdx.x, load_global(source + threadIdx.x));
    folded[threadIdx.x] = word_fold(word_from_u64(mix64(threadIdx.x)));
}

// C's own atomics, each thread on the same words.
KERNEL void c_atomics(uint32_t *u, uint64_t *ull) {
    __atomic_fetch_add(&u[0], 1u, __ATOMIC_RELAXED);
    __sync_fetch_and_or(&u[1], 1u << threadIdx.x % 32);
    uint64_t seen = __atomic_load_n(ull, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(ull, &seen, seen + threadIdx.x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

struct particle {
    float position[3];
    uint8_t kind;
};

// Structs of 16 bytes aligned to 4, and bytes without a type.
KERNEL void copies(const struct particle *in, struct particle *out, uint8_t *raw) {
    out[threadIdx.x] = in[threadIdx.x];
    memcpy(raw + 5 * threadIdx.x, &in[threadIdx.x], 5);
}

static __device__ uint32_t fibonacci(uint32_t n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

// Lanes recurse to different depths and reconverge.
KERNEL void recursion(uint32_t *out) {
    out[threadIdx.x] = fibonacci(threadIdx.x % 9);
}

// Atomics on 64 slices of L2 at most.
KERNEL void scattered_atomics(uint32_t *words) {
    atomicAdd(&words[(blockIdx.x * blockDim.x + threadIdx.x) % 64 * 64], 1);
}
