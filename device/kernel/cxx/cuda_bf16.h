// A stand-in for CUDA's cuda_bf16.h: __nv_bfloat16 and __nv_bfloat162.
#ifndef DEVICE_KERNEL_CXX_CUDA_BF16_H
#define DEVICE_KERNEL_CXX_CUDA_BF16_H

#include "device/kernel/cxx/small_floats.h"

typedef sim_format<7, -126> sim_bfloat16_format;
SIM_SMALL_FLOAT(__nv_bfloat16, sim_bfloat16_format)
SIM_SMALL_PAIR(__nv_bfloat16, __nv_bfloat162)
SIM_SMALL_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
typedef __nv_bfloat16 __hip_bfloat16;

#endif
