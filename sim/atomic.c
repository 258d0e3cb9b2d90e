// A kernel's atomics: the dialect's, and the calls that compilers generate for C's own. Lanes run one after another, so
// a plain read and write between two steps is atomic.
#include "sim/lane.h"

#include "device/kernel/kernel_hooks.h"

ON_ANY_STACK static void note_type(bool floating) {
    if (sim_turn.current) {
        sim_turn.current->adds_floats = floating;
    }
}

// A subnormal becomes a zero of its sign.
ON_ANY_STACK static float flushed(float x) {
    return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0, x) : x;
}

// On NVIDIA's GPUs sums in global memory flush subnormals, sums in shared memory do not (PTX ISA, atom).
ON_ANY_STACK static float float_sum(const volatile float *p, float old, float value) {
    return !sim_turn.nvidia || sim_is_shared((uintptr_t)p) ? old + value : flushed(flushed(old) + flushed(value));
}
#define SIM_FLOAT_SUM(p, old, value) float_sum(p, old, value)

#define DEFINE_ATOMIC(operation, type, suffix, result)                                                                 \
    ON_ANY_STACK type sim_atomic_##operation##_##suffix(volatile type *p, type value) {                                \
        note_type((type)0.5 != 0);                                                                                     \
        sim_access(p, sizeof *p, SIM_ATOMIC, SIM_CALLER);                                                              \
        const type old = *p;                                                                                           \
        *p = (type)(result);                                                                                           \
        return old;                                                                                                    \
    }
SIM_ATOMICS(DEFINE_ATOMIC)

#define DEFINE_CAS(unused, type, suffix, none)                                                                         \
    ON_ANY_STACK type sim_atomic_cas_##suffix(volatile type *p, type compare, type value) {                            \
        sim_access(p, sizeof *p, SIM_ATOMIC, SIM_CALLER);                                                              \
        const type old = *p;                                                                                           \
        if (old == compare) {                                                                                          \
            *p = value;                                                                                                \
        }                                                                                                              \
        return old;                                                                                                    \
    }
SIM_ATOMIC_INTEGERS(DEFINE_CAS, , )

// Compilers turn __atomic_fetch_add and the like into these calls.
#define FETCH(type, bits, operation, result)                                                                           \
    SIM_HOOK(type, __tsan_atomic##bits##_##operation, volatile type *p, type value, int order) {                       \
        (void)order;                                                                                                   \
        sim_access(p, sizeof *p, SIM_ATOMIC, SIM_CALLER);                                                              \
        const type old = *p;                                                                                           \
        *p = (type)(result);                                                                                           \
        return old;                                                                                                    \
    }

#define LOAD_STORE(type, bits)                                                                                         \
    SIM_HOOK(type, __tsan_atomic##bits##_load, const volatile type *p, int order) {                                    \
        (void)order;                                                                                                   \
        sim_access(p, sizeof *p, SIM_LOAD, SIM_CALLER);                                                                \
        return *p;                                                                                                     \
    }                                                                                                                  \
    SIM_HOOK(void, __tsan_atomic##bits##_store, volatile type *p, type value, int order) {                             \
        (void)order;                                                                                                   \
        sim_access(p, sizeof *p, SIM_ATOMIC, SIM_CALLER);                                                              \
        *p = value;                                                                                                    \
    }

// gcc and clang call the form that takes the expected value; C's own functions store the old value where it differs.
#define COMPARE_VALUE(type, bits)                                                                                      \
    SIM_HOOK(type, __tsan_atomic##bits##_compare_exchange_val, volatile type *p, type compare, type value, int order,  \
             int failure) {                                                                                            \
        (void)order, (void)failure;                                                                                    \
        sim_access(p, sizeof *p, SIM_ATOMIC, SIM_CALLER);                                                              \
        const type old = *p;                                                                                           \
        if (old == compare) {                                                                                          \
            *p = value;                                                                                                \
        }                                                                                                              \
        return old;                                                                                                    \
    }
#define COMPARE(type, bits, strength)                                                                                  \
    SIM_HOOK(int, __tsan_atomic##bits##_compare_exchange_##strength, volatile type *p, type *compare, type value,      \
             int order, int failure) {                                                                                 \
        (void)order, (void)failure;                                                                                    \
        sim_access(p, sizeof *p, SIM_ATOMIC, SIM_CALLER);                                                              \
        const int equal = *p == *compare;                                                                              \
        if (equal) {                                                                                                   \
            *p = value;                                                                                                \
        } else {                                                                                                       \
            *compare = *p;                                                                                             \
        }                                                                                                              \
        return equal;                                                                                                  \
    }

#define C_ATOMICS(type, bits)                                                                                          \
    LOAD_STORE(type, bits)                                                                                             \
    COMPARE_VALUE(type, bits)                                                                                          \
    COMPARE(type, bits, strong)                                                                                        \
    COMPARE(type, bits, weak)                                                                                          \
    FETCH(type, bits, exchange, value)                                                                                 \
    FETCH(type, bits, fetch_add, old + value)                                                                          \
    FETCH(type, bits, fetch_sub, old - value)                                                                          \
    FETCH(type, bits, fetch_and, old &value)                                                                           \
    FETCH(type, bits, fetch_or, old | value)                                                                           \
    FETCH(type, bits, fetch_xor, old ^ value)                                                                          \
    FETCH(type, bits, fetch_nand, ~(old & value))
C_ATOMICS(uint8_t, 8)
C_ATOMICS(uint16_t, 16)
C_ATOMICS(uint32_t, 32)
C_ATOMICS(uint64_t, 64)

SIM_HOOK(void, __tsan_atomic_thread_fence, int order) {
    (void)order;
}

SIM_HOOK(void, __tsan_atomic_signal_fence, int order) {
    (void)order;
}
