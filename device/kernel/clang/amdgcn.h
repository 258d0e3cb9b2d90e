// AMD's built-in functions behind runtime.h.
#ifndef DEVICE_KERNEL_CLANG_AMDGCN_H
#define DEVICE_KERNEL_CLANG_AMDGCN_H

#define GPU_LAUNCH_BOUNDS(threads, blocks, ...)                                                                        \
    __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(blocks)))
#define __launch_bounds__(...) GPU_LAUNCH_BOUNDS(__VA_ARGS__, 1, 1)

// ---- Indices ----

GPU_INDEX(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
          __builtin_amdgcn_workitem_id_z());
GPU_INDEX(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
          __builtin_amdgcn_workgroup_id_z());
GPU_INDEX(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
          __builtin_amdgcn_workgroup_size_z());
// A dispatch packet has the grid's size in threads (HSA Platform System Architecture Specification, 2.8.1).
GPU_INDEX(gridDim, __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(),
          __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(),
          __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z());

// ---- Barriers, fences, clocks ----

GPU_FUNCTION void __syncthreads(void) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

GPU_FUNCTION void __threadfence_block(void) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}
GPU_FUNCTION void __threadfence(void) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}
GPU_FUNCTION void __threadfence_system(void) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}

GPU_FUNCTION void __syncwarp(unsigned long long = ~0ull) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

// No instruction counts over a block.
GPU_FUNCTION int __syncthreads_count(int predicate) {
    __shared__ int sum;
    __syncthreads();
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
        sum = 0;
    }
    __syncthreads();
    __hip_atomic_fetch_add(&sum, predicate != 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __syncthreads();
    return sum;
}
GPU_FUNCTION int __syncthreads_or(int predicate) {
    return __syncthreads_count(predicate) != 0;
}
GPU_FUNCTION int __syncthreads_and(int predicate) {
    return __syncthreads_count(!predicate) == 0;
}

GPU_FUNCTION long long clock64(void) {
    return (long long)__builtin_readcyclecounter();
}
GPU_FUNCTION long long wall_clock64(void) {
    return clock64();
}
GPU_FUNCTION int clock(void) {
    return (int)clock64();
}

GPU_FUNCTION void __assert_fail(const char *, const char *, unsigned, const char *) {
    __builtin_trap();
}

// ---- Lanes of a warp ----

#ifdef WARP_WIDTH
#define GPU_WARP_WIDTH WARP_WIDTH
#elif defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define GPU_WARP_WIDTH 32
#else
#define GPU_WARP_WIDTH 64
#endif
typedef unsigned long long gpu_lanes;

GPU_FUNCTION uint32_t __lane_id(void) {
    return GPU_WARP_WIDTH == 32 ? __builtin_amdgcn_mbcnt_lo(~0u, 0)
                                : __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

// The unit that runs the block has no number here: HW_ID differs between generations.
GPU_FUNCTION uint32_t __smid(void) {
    return __builtin_amdgcn_workgroup_id_x();
}

GPU_FUNCTION int gpu_from_lane(int value, int lane) {
    return __builtin_amdgcn_ds_bpermute(4 * lane, value);
}
GPU_FUNCTION int gpu_shuffle_index(unsigned long long, int value, unsigned source, int width) {
    return gpu_from_lane(value, ((int)__lane_id() & ~(width - 1)) + ((int)source & (width - 1)));
}
GPU_FUNCTION int gpu_shuffle_up(unsigned long long, int value, unsigned delta, int width) {
    const int self = (int)__lane_id(), source = self - (int)delta;
    return gpu_from_lane(value, source < (self & ~(width - 1)) ? self : source);
}
GPU_FUNCTION int gpu_shuffle_down(unsigned long long, int value, unsigned delta, int width) {
    const int self = (int)__lane_id();
    return gpu_from_lane(value, (self & (width - 1)) + (int)delta >= width ? self : self + (int)delta);
}
GPU_FUNCTION int gpu_shuffle_xor(unsigned long long, int value, unsigned mask, int width) {
    const int self = (int)__lane_id(), source = self ^ (int)mask;
    return gpu_from_lane(value, source >= ((self + width) & ~(width - 1)) ? self : source);
}

GPU_FUNCTION gpu_lanes gpu_ballot(unsigned long long mask, int predicate) {
    return __builtin_amdgcn_uicmp((unsigned)predicate, 0u, 33) & mask; // 33: LLVM's number for "not equal"
}
GPU_FUNCTION gpu_lanes __activemask(void) {
    return gpu_ballot(~0ull, 1);
}

// The lanes whose value is this one's: those that agree in each of its bits.
GPU_FUNCTION gpu_lanes gpu_match(unsigned long long mask, uint32_t value) {
    gpu_lanes same = mask;
    for (int bit = 0; bit < 32; bit++) {
        const gpu_lanes ones = gpu_ballot(mask, value >> bit & 1);
        same &= value >> bit & 1 ? ones : ~ones;
    }
    return same & __activemask();
}

#define GPU_REDUCE(name, type, expression)                                                                             \
    GPU_FUNCTION type __reduce_##name##_sync(unsigned long long mask, type value) {                                    \
        type a = 0;                                                                                                    \
        bool begun = false;                                                                                            \
        for (int lane = 0; lane < GPU_WARP_WIDTH; lane++) {                                                            \
            const type b = (type)gpu_shuffle_index(mask, (int)value, (unsigned)lane, GPU_WARP_WIDTH);                  \
            if (mask >> lane & 1) {                                                                                    \
                a = begun ? expression : b;                                                                            \
                begun = true;                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
        return a;                                                                                                      \
    }
#define GPU_REDUCE_BOTH(name, expression)                                                                              \
    GPU_REDUCE(name, int, expression)                                                                                  \
    GPU_REDUCE(name, unsigned, expression)
GPU_REDUCE_BOTH(add, a + b)
GPU_REDUCE_BOTH(min, a < b ? a : b)
GPU_REDUCE_BOTH(max, a > b ? a : b)
GPU_REDUCE(and, unsigned, a &b)
GPU_REDUCE(or, unsigned, a | b)
GPU_REDUCE(xor, unsigned, a ^ b)

// ---- Atomics ----

#if __has_builtin(__hip_atomic_fetch_add)
#define __hip_atomic_exchange_n __hip_atomic_exchange
#define GPU_ATOMIC(name, scope) __hip_atomic_##name(address, value, __ATOMIC_RELAXED, scope)
#else
#define GPU_ATOMIC(name, scope) __atomic_##name(address, value, __ATOMIC_RELAXED)
#endif
#define GPU_FETCH(name, operation, type)                                                                               \
    GPU_CHANGE(name, type, GPU_ATOMIC(operation, __HIP_MEMORY_SCOPE_AGENT))                                            \
    GPU_CHANGE(name##_block, type, GPU_ATOMIC(operation, __HIP_MEMORY_SCOPE_WORKGROUP))                                \
    GPU_CHANGE(name##_system, type, GPU_ATOMIC(operation, __HIP_MEMORY_SCOPE_SYSTEM))
GPU_FETCH(atomicAdd, fetch_add, float)
GPU_FETCH(atomicAdd, fetch_add, double)
GPU_FETCH(atomicExch, exchange_n, float)
GPU_FUNCTION unsigned atomicInc(unsigned *address, unsigned value) {
    return __builtin_amdgcn_atomic_inc32(address, value, __ATOMIC_RELAXED, "agent");
}
GPU_FUNCTION unsigned atomicDec(unsigned *address, unsigned value) {
    return __builtin_amdgcn_atomic_dec32(address, value, __ATOMIC_RELAXED, "agent");
}
#define unsafeAtomicAdd atomicAdd
#define safeAtomicAdd atomicAdd
#define atomicAddNoRet(address, value) ((void)atomicAdd(address, value))

// ---- Fast functions ----

#define gpu_exp2(x) __builtin_exp2f(x)
#define gpu_log2(x) __builtin_log2f(x)
#define gpu_rsqrt(x) __builtin_amdgcn_rsqf(x)
#define gpu_sin(x) __builtin_amdgcn_sinf((x)*0.15915494f) // of turns
#define gpu_cos(x) __builtin_amdgcn_cosf((x)*0.15915494f)
#define gpu_quotient(x, y) ((x)*__builtin_amdgcn_rcpf(y))

#endif
