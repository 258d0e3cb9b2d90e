// CUDA's functions of a warp's lanes, of integers and of floats, and atomics, which must give the same by C++ and by PTX.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#define ALL 0xffffffff

__device__ uint32_t bits(__half x) {
    return __half_as_ushort(x);
}

__device__ uint32_t bits(__nv_bfloat16 x) {
    return __bfloat16_as_ushort(x);
}

__device__ uint32_t bits(float x) {
    return __float_as_uint(x);
}

// A float of a moderate size.
__device__ float moderate(uint32_t word) {
    return __uint_as_float((word & 0x83ffffff) | 0x3c000000);
}

// Each result takes the next word of the thread's, and out[0] is the same in each thread.
__global__ void intrinsics(const uint32_t *in, uint32_t *out) {
    const uint32_t thread = threadIdx.x, a = in[3 * thread], b = in[3 * thread + 1], c = in[3 * thread + 2];
    const float x = moderate(a), y = moderate(b);
    const __half hx = __float2half(x), hy = __float2half(y);
    const __nv_bfloat16 bx = __float2bfloat16(x * 20), by = __float2bfloat16(y);
    uint32_t *next = out + 48 * thread;
    *next++ = __byte_perm(0x80112233, 0x445566f7, 0xfc3b);
    *next++ = __shfl_down_sync(ALL, thread, 33) + 100 * __shfl_xor_sync(ALL, thread, 37); // as by 1 and by 5
    *next++ = __shfl_up_sync(ALL, a, 34, 16) ^ __shfl_xor_sync(ALL, b, 64 + 3, 8);
    // Integers
    *next++ = __byte_perm(a, b, c);
    *next++ = __dp4a((int)a, (int)b, (int)c);
    *next++ = __funnelshift_l(a, b, c) ^ __funnelshift_rc(a, b, c % 50);
    *next++ = __funnelshift_lc(a, b, c % 40) ^ __funnelshift_r(a, b, c);
    *next++ = __brev(a) ^ __popc(b) ^ __clz(c) ^ __ffs(a);
    *next++ = (uint32_t)__brevll((uint64_t)a << 32 | b) + __clzll(b) + __popcll((uint64_t)a * c) + __ffsll((int64_t)c << 20);
    *next++ = __mulhi((int)a, (int)b) + __umulhi(a, c);
    *next++ = (uint32_t)__umul64hi((uint64_t)a << 32 | b, (uint64_t)c << 32 | a);
    *next++ = __usad(a, b, c) + __sad((int)a, (int)b, c);
    *next++ = __mul24((int)a, (int)b) + __umul24(b, c);
    *next++ = __hadd((int)a, (int)b) + __rhadd((int)b, (int)c);
    *next++ = a / (b | 1) + (int)a % (int)(c | 1);
    *next++ = (uint32_t)((uint64_t)a * b / (c | 1)) + (uint32_t)((int64_t)(int)a * (int)b % ((int)c | 1));
    // Lanes
    *next++ = __shfl_xor_sync(ALL, a, 5, 8);
    *next++ = __shfl_up_sync(ALL, a, 3, 16);
    *next++ = __shfl_down_sync(ALL, b, 7);
    *next++ = __shfl_sync(ALL, b, c & 63, 4);
    *next++ = (uint32_t)(__shfl_sync(ALL, (uint64_t)a << 32 | b, 3) >> 16);
    *next++ = __ballot_sync(ALL, a & 1) + __any_sync(ALL, a == 5) + __all_sync(ALL, a);
    *next++ = __match_any_sync(ALL, a & 3);
    *next++ = __reduce_add_sync(ALL, a) + __reduce_min_sync(ALL, (int)b) + __reduce_xor_sync(ALL, c);
    *next++ = __reduce_max_sync(ALL, a) ^ __reduce_and_sync(ALL, b | 7) ^ __reduce_or_sync(ALL, c & 0xff);
    *next++ = __syncthreads_count(a & 1) + __syncthreads_and(a != 0) + __syncthreads_or(a == 5);
    // Floats and conversions
    *next++ = bits(fmaf(x, y, x)) ^ bits(copysignf(x, y)) ^ bits(fdimf(x, y));
    *next++ = bits(fminf(x, y)) ^ bits(fmaxf(x, -0.0f)) ^ bits(__saturatef(x * 100));
    *next++ = bits(rintf(x * 10)) ^ bits(truncf(y * 33)) ^ bits(floorf(x * 9)) ^ bits(ceilf(y * 9)) ^ bits(roundf(x * 8));
    *next++ = bits(fmodf(x * 100, 0.37f));
    *next++ = __float2int_rn(x * 1000) + __float2uint_rz(fabsf(y) * 77) + __double2int_rd(x * 1e3);
    *next++ = bits(__int2float_rn((int)a)) ^ bits(__uint2float_rn(b)) ^ (uint32_t)__float2ll_rn(x * 1e6f);
    // Halves and bfloat16
    *next++ = bits(__hfma(hx, hy, hx)) | bits(__hadd(hx, hy)) << 16;
    *next++ = bits(__hmax(hx, hy)) | bits(__hmin(hx, hy)) << 16;
    *next++ = bits(hfloor(hx)) + bits(hceil(hy)) + bits(hrint(__float2half(x * 9)));
    *next++ = __half2int_rn(hx) + __half2int_rz(hy) + bits(__int2half_rn((int)(a & 4095)));
    *next++ = bits(__hfma(bx, by, bx)) | bits(__hsub(bx, by)) << 16;
    *next++ = bits(__hmax(bx, by)) | bits(__hmul(bx, by)) << 16;
    *next++ = bits(hexp2(bx)); // down to 2^-20 and less
}

// Atomics of all lanes to the same places, and to those of shared memory that the data chooses.
__global__ void atomics(const uint32_t *in, uint32_t *out) {
    __shared__ uint32_t sums[64];
    __shared__ float small;
    const uint32_t thread = threadIdx.x, a = in[thread], b = in[thread + 32];
    sums[thread] = sums[thread + 32] = 0;
    small = 0;
    __syncthreads();
    atomicInc(&out[0], 11); // 32 times: 8
    atomicDec(&out[1], 4);  // 32 times, from 0: 3
    atomicAdd((__half2 *)&out[2], __floats2half2_rn(a & 7, 1));
    atomicAdd((__nv_bfloat16 *)&out[3], __float2bfloat16(a & 3));
    atomicAdd((__half *)&out[4], __float2half(b & 7));
    atomicCAS((unsigned short *)&out[5], (unsigned short)thread, (unsigned short)(thread + 1));
    atomicAdd(&out[6], a);
    atomicMin((int *)&out[7], (int)b);
    atomicAdd((unsigned long long *)&out[8], (unsigned long long)a * b);
    atomicMax((long long *)&out[10], (long long)((uint64_t)a << 32 | b));
    atomicAdd((float *)&out[12], (float)(a & 255));
    atomicAdd((double *)&out[14], (double)(b & 4095) / 8);
    atomicXor(&out[16], a);
    atomicAdd((float *)&out[18], 1e-40f); // a subnormal
    atomicAdd(&small, 1e-40f);
    atomicAdd(&sums[a & 31], b);
    atomicXor(&sums[32 + (b & 31)], a);
    __syncthreads();
    out[19] = bits(small);
    out[64 + thread] = sums[thread];
    out[96 + thread] = sums[thread + 32];
}
