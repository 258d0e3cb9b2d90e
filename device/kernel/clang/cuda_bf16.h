// CUDA's cuda_bf16.h for clang: __nv_bfloat16 and __nv_bfloat162.
#ifndef DEVICE_KERNEL_CLANG_CUDA_BF16_H
#define DEVICE_KERNEL_CLANG_CUDA_BF16_H

#include "device/kernel/clang/small_floats.h"

// To nearest, of two alike to the even one.
static inline __host__ __device__ __attribute__((always_inline, nodebug)) unsigned short
gpu_bfloat16_bits(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    return value != value ? 0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
#define GPU_BFLOAT16_VALUE(bits) __builtin_bit_cast(float, (uint32_t)(bits) << 16)
#define GPU_BFLOAT16_FUSED(a, b, c) gpu_bfloat16_bits(__builtin_fmaf((float)(a), (float)(b), (float)(c)))
GPU_SMALL_FLOAT(__nv_bfloat16, gpu_bfloat16_bits, GPU_BFLOAT16_VALUE, GPU_BFLOAT16_FUSED)
GPU_SMALL_PAIR(__nv_bfloat16, __nv_bfloat162)
GPU_SMALL_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
typedef __nv_bfloat16 __hip_bfloat16;

#endif
