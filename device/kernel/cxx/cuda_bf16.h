// A stand-in for CUDA's cuda_bf16.h: __nv_bfloat16 and __nv_bfloat162.
#ifndef DEVICE_KERNEL_CXX_CUDA_BF16_H
#define DEVICE_KERNEL_CXX_CUDA_BF16_H

#include "device/kernel/cxx/small_floats.h"

typedef sim_format<7, -126> sim_bfloat16_format;
SIM_SMALL_FLOAT(__nv_bfloat16, sim_bfloat16_format)
SIM_SMALL_PAIR(__nv_bfloat16, __nv_bfloat162)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
typedef __nv_bfloat16 __hip_bfloat16;

SIM_FUNCTION1(__nv_bfloat16, __float2bfloat16, float, __nv_bfloat16(a))
SIM_FUNCTION1(__nv_bfloat16, __float2bfloat16_rn, float, __nv_bfloat16(a))
SIM_FUNCTION1(__nv_bfloat16, __double2bfloat16, double, __nv_bfloat16(a))
SIM_FUNCTION1(float, __bfloat162float, __nv_bfloat16, a)
SIM_FUNCTION1(unsigned short, __bfloat16_as_ushort, __nv_bfloat16, a.bits)
SIM_FUNCTION1(__nv_bfloat16, __ushort_as_bfloat16, unsigned short, sim_bits_as<__nv_bfloat16>(a))
SIM_FUNCTION1(__nv_bfloat162, __bfloat162bfloat162, __nv_bfloat16, (__nv_bfloat162{a, a}))
SIM_FUNCTION1(__nv_bfloat162, __float2bfloat162_rn, float, (__nv_bfloat162{__nv_bfloat16(a), __nv_bfloat16(a)}))
SIM_FUNCTION1(__nv_bfloat162, __float22bfloat162_rn, float2, (__nv_bfloat162{__nv_bfloat16(a.x), __nv_bfloat16(a.y)}))
SIM_FUNCTION1(float2, __bfloat1622float2, __nv_bfloat162, (float2{(float)a.x, (float)a.y}))
SIM_FUNCTION1(__nv_bfloat16, __low2bfloat16, __nv_bfloat162, a.x)
SIM_FUNCTION1(__nv_bfloat16, __high2bfloat16, __nv_bfloat162, a.y)
SIM_FUNCTION2(__nv_bfloat162, __floats2bfloat162_rn, float, (__nv_bfloat162{__nv_bfloat16(a), __nv_bfloat16(b)}))
SIM_FUNCTION2(__nv_bfloat162, __halves2bfloat162, __nv_bfloat16, (__nv_bfloat162{a, b}))

#endif
