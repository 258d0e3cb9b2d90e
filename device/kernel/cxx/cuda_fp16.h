// A stand-in for CUDA's cuda_fp16.h: half and half2.
#ifndef DEVICE_KERNEL_CXX_CUDA_FP16_H
#define DEVICE_KERNEL_CXX_CUDA_FP16_H

#include "device/kernel/cxx/small_floats.h"

typedef sim_format<10, -14> sim_half_format;
SIM_SMALL_FLOAT(__half, sim_half_format)
SIM_SMALL_PAIR(__half, __half2)
SIM_SMALL_CONVERSIONS(__half, __half2, half)
typedef __half half;
typedef __half2 half2;
typedef __half __half_raw;

SIM_FUNCTION1(__half, __int2half_rn, int, __half(a))
SIM_FUNCTION1(__half, __uint2half_rn, unsigned, __half(a))
SIM_FUNCTION1(int, __half2int_rn, __half, __float2int_rn(a))
SIM_FUNCTION1(int, __half2int_rz, __half, __float2int_rz(a))
SIM_FUNCTION1(short, __half_as_short, __half, (short)a.bits)
SIM_FUNCTION1(__half, __short_as_half, short, sim_bits_as<__half>(a))
SIM_FUNCTION1(__half2, __low2half2, __half2, (__half2{a.x, a.x}))
SIM_FUNCTION1(__half2, __high2half2, __half2, (__half2{a.y, a.y}))
SIM_FUNCTION2(__half2, make_half2, __half, (__half2{a, b}))

#define CUDART_ZERO_FP16 __ushort_as_half(0)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
#define CUDART_INF_FP16 __ushort_as_half(0x7c00)

#endif
