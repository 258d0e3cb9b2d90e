// CUDA's cuda_fp16.h for clang: half and half2.
#ifndef DEVICE_KERNEL_CLANG_CUDA_FP16_H
#define DEVICE_KERNEL_CLANG_CUDA_FP16_H

#include "device/kernel/clang/small_floats.h"

#define GPU_HALF_BITS(value) __builtin_bit_cast(unsigned short, (_Float16)(value))
#define GPU_HALF_VALUE(bits) ((float)__builtin_bit_cast(_Float16, bits))
#define GPU_HALF_FUSED(a, b, c)                                                                                        \
    __builtin_bit_cast(unsigned short, __builtin_fmaf16(__builtin_bit_cast(_Float16, (a).bits),                        \
                                                        __builtin_bit_cast(_Float16, (b).bits),                        \
                                                        __builtin_bit_cast(_Float16, (c).bits)))
GPU_SMALL_FLOAT(__half, GPU_HALF_BITS, GPU_HALF_VALUE, GPU_HALF_FUSED)
GPU_SMALL_PAIR(__half, __half2)
GPU_SMALL_CONVERSIONS(__half, __half2, half)
typedef __half half;
typedef __half2 half2;
typedef __half __half_raw;

GPU_FUNCTION1(__half, __int2half_rn, int, __half(a))
GPU_FUNCTION1(__half, __uint2half_rn, unsigned, __half(a))
GPU_FUNCTION1(int, __half2int_rn, __half, __float2int_rn(a))
GPU_FUNCTION1(int, __half2int_rz, __half, __float2int_rz(a))
GPU_FUNCTION1(short, __half_as_short, __half, (short)a.bits)
GPU_FUNCTION1(__half, __short_as_half, short, __builtin_bit_cast(__half, a))
GPU_FUNCTION1(__half2, __low2half2, __half2, (__half2{a.x, a.x}))
GPU_FUNCTION1(__half2, __high2half2, __half2, (__half2{a.y, a.y}))
GPU_FUNCTION2(__half2, make_half2, __half, (__half2{a, b}))

#define CUDART_ZERO_FP16 __ushort_as_half(0)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
#define CUDART_INF_FP16 __ushort_as_half(0x7c00)

#endif
