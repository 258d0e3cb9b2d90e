// What kernels take from CUDA and HIP, for clang alone: no part of CUDA's toolkit or of ROCm is needed to compile for
// their GPUs. The compiler's own built-in functions stand behind CUDA's and HIP's names.
#ifndef DEVICE_KERNEL_CLANG_RUNTIME_H
#define DEVICE_KERNEL_CLANG_RUNTIME_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__
#define __cluster_dims__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#if __clang_major__ < 15 // later ones know it, as an attribute's name, too
#define __noinline__ __attribute__((noinline))
#endif
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 12000

#include <stddef.h>
#include <stdint.h>

// nodebug: a call has the line of the kernel that makes it.
#define GPU_FUNCTION static inline __device__ __attribute__((always_inline, unused, nodebug))
#define GPU_MEMBER __device__ __attribute__((always_inline, nodebug))
// Also for constants that the host's part of a file computes.
#define GPU_CONSTANT static inline constexpr __host__ __device__ __attribute__((always_inline, unused, nodebug))

// The compiler's own headers mention malloc and free. A kernel that calls them is refused, because nothing defines
// them, and so is one that launches another.
extern "C" {
__device__ void *malloc(size_t bytes);
__device__ void free(void *memory);
__device__ int printf(const char *format, ...);
}

#include "device/kernel/clang/vector_types.h"

// What clang makes a call of for each `kernel<<<...>>>()` of the host.
typedef int cudaError_t;
typedef struct CUstream_st *cudaStream_t;
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
extern "C" unsigned __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
extern "C" cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t stream);
extern "C" cudaError_t hipLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                       cudaStream_t stream);

#define GPU_INDEX(name, of_x, of_y, of_z)                                                                              \
    struct gpu_##name {                                                                                                \
        GPU_FUNCTION uint32_t get_x(void) {                                                                            \
            return of_x;                                                                                               \
        }                                                                                                              \
        GPU_FUNCTION uint32_t get_y(void) {                                                                            \
            return of_y;                                                                                               \
        }                                                                                                              \
        GPU_FUNCTION uint32_t get_z(void) {                                                                            \
            return of_z;                                                                                               \
        }                                                                                                              \
        __declspec(property(get = get_x)) uint32_t x;                                                                  \
        __declspec(property(get = get_y)) uint32_t y;                                                                  \
        __declspec(property(get = get_z)) uint32_t z;                                                                  \
        GPU_MEMBER operator dim3() const {                                                                             \
            return dim3(of_x, of_y, of_z);                                                                             \
        }                                                                                                              \
        GPU_MEMBER operator uint3() const {                                                                            \
            return dim3(of_x, of_y, of_z);                                                                             \
        }                                                                                                              \
    };                                                                                                                 \
    extern const __device__ __attribute__((weak)) gpu_##name name

// An atomic, of the name for one scope.
#define GPU_CHANGE(name, type, expression)                                                                             \
    GPU_FUNCTION type name(type *address, type value) {                                                                \
        return expression;                                                                                             \
    }

// These define the indices, barriers, fences and clocks, what lanes exchange, atomics, and the fast functions.
#ifdef __AMDGCN__
#include "device/kernel/clang/amdgcn.h"
#else
#include "device/kernel/clang/nvptx.h"
#endif

static constexpr int warpSize = GPU_WARP_WIDTH;

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];

GPU_FUNCTION void __trap(void) {
    __builtin_trap();
}
#define __brkpt() __trap()
#define __nanosleep(nanoseconds) ((void)(nanoseconds))

#include "device/kernel/clang/numbers.h"

#include "device/kernel/clang/functions.h"

#include "device/kernel/clang/warp.h"

GPU_FUNCTION void *memcpy(void *to, const void *from, size_t bytes) {
    return __builtin_memcpy(to, from, bytes);
}
GPU_FUNCTION void *memset(void *to, int byte, size_t bytes) {
    return __builtin_memset(to, byte, bytes);
}

// ---- Loads and stores with a cache hint ----

#define GPU_LOAD(name)                                                                                                 \
    template <typename T> GPU_FUNCTION T name(const T *address) {                                                      \
        return *address;                                                                                               \
    }
GPU_LOAD(__ldg)
GPU_LOAD(__ldca)
GPU_LOAD(__ldcg)
GPU_LOAD(__ldcs)
GPU_LOAD(__ldcv)
GPU_LOAD(__ldlu)
#undef GPU_LOAD
template <class T> struct gpu_same { typedef T type; };
#define GPU_STORE(name)                                                                                                \
    template <typename T> GPU_FUNCTION void name(T *address, typename gpu_same<T>::type value) {                       \
        *address = value;                                                                                              \
    }
GPU_STORE(__stcg)
GPU_STORE(__stcs)
GPU_STORE(__stwb)
GPU_STORE(__stwt)
#undef GPU_STORE

#endif
