// What lanes of a warp exchange, and the atomics that follow from others: alike on all GPUs.
#ifndef DEVICE_KERNEL_CLANG_WARP_H
#define DEVICE_KERNEL_CLANG_WARP_H

static constexpr gpu_lanes gpu_all_lanes = (gpu_lanes)~0ull;

// A value moves in parts of 32 bits.
#define GPU_SHUFFLE(name, kind, type)                                                                                  \
    template <typename T> GPU_FUNCTION T name##_sync(gpu_lanes mask, T value, type by, int width = GPU_WARP_WIDTH) {   \
        int parts[(sizeof(T) + 3) / 4] = {};                                                                           \
        __builtin_memcpy(parts, &value, sizeof value);                                                                 \
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {                                                    \
            parts[i] = gpu_shuffle_##kind(mask, parts[i], (unsigned)by, width);                                        \
        }                                                                                                              \
        __builtin_memcpy(&value, parts, sizeof value);                                                                 \
        return value;                                                                                                  \
    }                                                                                                                  \
    template <typename T> GPU_FUNCTION T name(T value, type by, int width = GPU_WARP_WIDTH) {                          \
        return name##_sync(gpu_all_lanes, value, by, width);                                                           \
    }
GPU_SHUFFLE(__shfl, index, int)
GPU_SHUFFLE(__shfl_up, up, unsigned)
GPU_SHUFFLE(__shfl_down, down, unsigned)
GPU_SHUFFLE(__shfl_xor, xor, int)
#undef GPU_SHUFFLE

GPU_FUNCTION gpu_lanes __ballot_sync(gpu_lanes mask, int predicate) {
    return gpu_ballot(mask, predicate);
}
GPU_FUNCTION int __any_sync(gpu_lanes mask, int predicate) {
    return gpu_ballot(mask, predicate) != 0;
}
GPU_FUNCTION int __all_sync(gpu_lanes mask, int predicate) {
    return gpu_ballot(mask, !predicate) == 0;
}
#define __ballot(predicate) __ballot_sync(gpu_all_lanes, predicate)
#define __any(predicate) __any_sync(gpu_all_lanes, predicate)
#define __all(predicate) __all_sync(gpu_all_lanes, predicate)

template <typename T> GPU_FUNCTION gpu_lanes __match_any_sync(gpu_lanes mask, T value) {
    uint32_t parts[(sizeof(T) + 3) / 4] = {};
    gpu_lanes same = mask;
    __builtin_memcpy(parts, &value, sizeof value);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        same &= gpu_match(mask, parts[i]);
    }
    return same;
}
template <typename T> GPU_FUNCTION gpu_lanes __match_all_sync(gpu_lanes mask, T value, int *all) {
    const gpu_lanes same = __match_any_sync(mask, value);
    *all = same == (mask & __activemask());
    return *all ? same : 0;
}

// ---- Atomics ----

// GPU_FETCH is the GPU's own.
#define GPU_INTEGERS(name, operation)                                                                                  \
    GPU_FETCH(name, operation, int)                                                                                    \
    GPU_FETCH(name, operation, unsigned)                                                                               \
    GPU_FETCH(name, operation, unsigned long long)                                                                     \
    GPU_FETCH(name, operation, unsigned long)
GPU_INTEGERS(atomicAdd, fetch_add)
GPU_INTEGERS(atomicMin, fetch_min)
GPU_INTEGERS(atomicMax, fetch_max)
GPU_INTEGERS(atomicAnd, fetch_and)
GPU_INTEGERS(atomicOr, fetch_or)
GPU_INTEGERS(atomicXor, fetch_xor)
GPU_INTEGERS(atomicExch, exchange_n)
GPU_FETCH(atomicMin, fetch_min, long long)
GPU_FETCH(atomicMax, fetch_max, long long)

#define GPU_SUBTRACT(type)                                                                                             \
    GPU_FUNCTION type atomicSub(type *address, type value) {                                                           \
        return atomicAdd(address, (type)(0 - value));                                                                  \
    }
GPU_SUBTRACT(int)
GPU_SUBTRACT(unsigned)
#undef GPU_SUBTRACT

#define GPU_SWAP(type)                                                                                                 \
    GPU_FUNCTION type atomicCAS(type *address, type expected, type value) {                                            \
        __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);             \
        return expected;                                                                                               \
    }
GPU_SWAP(int)
GPU_SWAP(unsigned)
GPU_SWAP(unsigned long long)
GPU_SWAP(unsigned short)
#undef GPU_SWAP

// An atomic of any type of as many bytes as Bits: the change is tried until no other comes between.
template <typename Bits, typename T, typename Change> GPU_FUNCTION T gpu_change(T *address, Change change) {
    Bits seen = *(volatile Bits *)address, expected, wanted;
    T old;
    do {
        expected = seen;
        __builtin_memcpy(&old, &expected, sizeof old);
        const T now = change(old);
        __builtin_memcpy(&wanted, &now, sizeof now);
        seen = atomicCAS((Bits *)address, expected, wanted);
    } while (seen != expected);
    return old;
}

#endif
