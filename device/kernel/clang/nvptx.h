// NVIDIA's built-in functions behind runtime.h.
#ifndef DEVICE_KERNEL_CLANG_NVPTX_H
#define DEVICE_KERNEL_CLANG_NVPTX_H

#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

// ---- Indices ----

#define GPU_REGISTERS(name, of)                                                                                        \
    GPU_INDEX(name, __nvvm_read_ptx_sreg_##of##_x(), __nvvm_read_ptx_sreg_##of##_y(), __nvvm_read_ptx_sreg_##of##_z())
GPU_REGISTERS(threadIdx, tid);
GPU_REGISTERS(blockIdx, ctaid);
GPU_REGISTERS(blockDim, ntid);
GPU_REGISTERS(gridDim, nctaid);

// ---- Barriers, fences, clocks: __syncthreads is the compiler's ----

#define __syncthreads_count(predicate) __nvvm_bar0_popc(predicate)
#define __syncthreads_and(predicate) __nvvm_bar0_and(predicate)
#define __syncthreads_or(predicate) __nvvm_bar0_or(predicate)
#define __threadfence_block() __nvvm_membar_cta()
#define __threadfence() __nvvm_membar_gl()
#define __threadfence_system() __nvvm_membar_sys()

GPU_FUNCTION void __syncwarp(unsigned mask = ~0u) {
    __nvvm_bar_warp_sync(mask);
}

GPU_FUNCTION long long clock64(void) {
    return (long long)__nvvm_read_ptx_sreg_clock64();
}
GPU_FUNCTION int clock(void) {
    return (int)__nvvm_read_ptx_sreg_clock();
}

// What assert calls.
extern "C" __device__ void __assertfail(const void *message, const void *file, unsigned line, const void *function,
                                        size_t character_bytes);
GPU_FUNCTION void __assert_fail(const char *message, const char *file, unsigned line, const char *function) {
    __assertfail(message, file, line, function, 1);
}

// ---- Lanes of a warp ----

#define GPU_WARP_WIDTH 32
typedef unsigned gpu_lanes;

GPU_FUNCTION uint32_t __lane_id(void) {
    uint32_t lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
GPU_FUNCTION uint32_t __smid(void) {
    uint32_t unit;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(unit));
    return unit;
}

// The segment's mask and the lane at which it ends (PTX ISA, shfl.sync).
#define GPU_SHUFFLE(name, mode, last)                                                                                  \
    GPU_FUNCTION int gpu_shuffle_##name(unsigned mask, int value, unsigned by, int width) {                            \
        return __nvvm_shfl_sync_##mode##_i32(mask, value, (int)by, (32 - width) << 8 | (last));                        \
    }
GPU_SHUFFLE(index, idx, 31)
GPU_SHUFFLE(up, up, 0)
GPU_SHUFFLE(down, down, 31)
GPU_SHUFFLE(xor, bfly, 31)
#undef GPU_SHUFFLE

GPU_FUNCTION gpu_lanes gpu_ballot(unsigned mask, int predicate) {
    return __nvvm_vote_ballot_sync(mask, predicate);
}
GPU_FUNCTION gpu_lanes __activemask(void) {
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
GPU_FUNCTION gpu_lanes gpu_match(unsigned mask, uint32_t value) {
    gpu_lanes same;
    asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(same) : "r"(value), "r"(mask));
    return same;
}

#define GPU_REDUCE(name, type, builtin)                                                                                \
    GPU_FUNCTION type __reduce_##name##_sync(unsigned mask, type value) {                                              \
        return (type)__nvvm_redux_sync_##builtin(value, mask);                                                         \
    }
#if __CUDA_ARCH__ >= 800
GPU_REDUCE(add, int, add)
GPU_REDUCE(add, unsigned, add)
GPU_REDUCE(min, int, min)
GPU_REDUCE(min, unsigned, umin)
GPU_REDUCE(max, int, max)
GPU_REDUCE(max, unsigned, umax)
GPU_REDUCE(and, unsigned, and)
GPU_REDUCE(or, unsigned, or)
GPU_REDUCE(xor, unsigned, xor)
#endif
#undef GPU_REDUCE

// ---- Atomics ----

#define GPU_SCOPES(name, type, expression)                                                                             \
    GPU_CHANGE(name, type, expression)                                                                                 \
    GPU_CHANGE(name##_block, type, expression)                                                                         \
    GPU_CHANGE(name##_system, type, expression)
#define GPU_FETCH(name, operation, type) GPU_SCOPES(name, type, __atomic_##operation(address, value, __ATOMIC_RELAXED))
GPU_SCOPES(atomicAdd, float, __nvvm_atom_add_gen_f(address, value))
GPU_SCOPES(atomicAdd, double, __nvvm_atom_add_gen_d(address, value))
GPU_SCOPES(atomicExch, float,
           __builtin_bit_cast(float,
                              __atomic_exchange_n((int *)address, __builtin_bit_cast(int, value), __ATOMIC_RELAXED)))
GPU_SCOPES(atomicInc, unsigned, __nvvm_atom_inc_gen_ui(address, value))
GPU_SCOPES(atomicDec, unsigned, __nvvm_atom_dec_gen_ui(address, value))

// ---- Fast functions ----

#define gpu_exp2(x) __nvvm_ex2_approx_f(x)
#define gpu_log2(x) __nvvm_lg2_approx_f(x)
#define gpu_rsqrt(x) __nvvm_rsqrt_approx_f(x)
#define gpu_sin(x) __nvvm_sin_approx_f(x)
#define gpu_cos(x) __nvvm_cos_approx_f(x)
#define gpu_quotient(x, y) __nvvm_div_approx_f(x, y)

// ---- Address spaces ----

#define GPU_ADDRESS(space, number)                                                                                     \
    GPU_FUNCTION size_t __cvta_generic_to_##space(const void *address) {                                               \
        return (size_t)(const __attribute__((address_space(number))) void *)address;                                   \
    }
GPU_ADDRESS(global, 1)
GPU_ADDRESS(shared, 3)
#undef GPU_ADDRESS

#endif
