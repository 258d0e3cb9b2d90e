// The steps of the reduction whose counters on an AMD Instinct are published (results/published/reduce-mi.csv), as Mark
// Harris teaches them ("Optimizing parallel reduction in CUDA"). The source is not published. The counters say: sums of
// 64-bit integers in blocks of 256 threads, each of which ends with an atomic that adds its sum to the result. The last
// warp has 64 threads, which need no barrier because they run in lockstep.
typedef unsigned long long number_t;

enum { BLOCK = 256, LAST = 64 };

#define BEGIN                                                                                                          \
    extern __shared__ number_t sum[];                                                                                  \
    const unsigned thread = threadIdx.x;
#define END                                                                                                            \
    if (thread == 0) {                                                                                                 \
        atomicAdd(result, sum[0]);                                                                                     \
    }

extern "C" __global__ void interleaved_modulo(const number_t *in, number_t *result) {
    BEGIN
    sum[thread] = in[blockIdx.x * blockDim.x + thread];
    __syncthreads();
#pragma nounroll
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (thread % (2 * stride) == 0) {
            sum[thread] += sum[thread + stride];
        }
        __syncthreads();
    }
    END
}

extern "C" __global__ void interleaved_strided(const number_t *in, number_t *result) {
    BEGIN
    sum[thread] = in[blockIdx.x * blockDim.x + thread];
    __syncthreads();
#pragma nounroll
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        const unsigned index = 2 * stride * thread;
        if (index < blockDim.x) {
            sum[index] += sum[index + stride];
        }
        __syncthreads();
    }
    END
}

// Halves the block down to the last strides.
#define HALVE(last)                                                                                                    \
    _Pragma("nounroll") for (unsigned stride = blockDim.x / 2; stride > (last); stride >>= 1) {                        \
        if (thread < stride) {                                                                                         \
            sum[thread] += sum[thread + stride];                                                                       \
        }                                                                                                              \
        __syncthreads();                                                                                               \
    }

extern "C" __global__ void sequential(const number_t *in, number_t *result) {
    BEGIN
    sum[thread] = in[blockIdx.x * blockDim.x + thread];
    __syncthreads();
    HALVE(0)
    END
}

__device__ inline number_t first_sum(const number_t *in) {
    const unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    return in[i] + in[i + blockDim.x];
}

extern "C" __global__ void first_add(const number_t *in, number_t *result) {
    BEGIN
    sum[thread] = first_sum(in);
    __syncthreads();
    HALVE(0)
    END
}

__device__ inline void add_last_warp(volatile number_t *sum) {
    const unsigned thread = threadIdx.x;
#pragma unroll
    for (unsigned stride = LAST; stride > 0; stride /= 2) {
        sum[thread] += sum[thread + stride];
    }
}

extern "C" __global__ void unroll_last_warp(const number_t *in, number_t *result) {
    BEGIN
    sum[thread] = first_sum(in);
    __syncthreads();
    HALVE(LAST)
    if (thread < LAST) {
        add_last_warp(sum);
    }
    END
}

extern "C" __global__ void unroll_full(const number_t *in, number_t *result) {
    BEGIN
    sum[thread] = first_sum(in);
    __syncthreads();
    if (thread < BLOCK / 2) {
        sum[thread] += sum[thread + BLOCK / 2];
    }
    __syncthreads();
    if (thread < LAST) {
        add_last_warp(sum);
    }
    END
}
