// Atomics of a kernel: the dialect's, and those that compilers make of C's own. Lanes run one after another, so a plain
// read and write between two steps is atomic.
#include "device/sim_lane.h"

#include "device/kernel_sim.h"

#define DEFINE_ATOMIC(operation, type, suffix, result)                                                                 \
    ON_ANY_STACK type sim_atomic_##operation##_##suffix(volatile type *p, type value) {                                \
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
        if (old == compare)                                                                                            \
            *p = value;                                                                                                \
        return old;                                                                                                    \
    }
SIM_ATOMIC_INTEGERS(DEFINE_CAS, , )

// What __atomic_fetch_add and its kin become.
#define FETCH(bits, operation, result)                                                                                 \
    uint##bits##_t __tsan_atomic##bits##_##operation(volatile uint##bits##_t *p, uint##bits##_t value, int order);     \
    ON_ANY_STACK uint##bits##_t __tsan_atomic##bits##_##operation(volatile uint##bits##_t *p, uint##bits##_t value,    \
                                                                  int order) {                                         \
        (void)order;                                                                                                   \
        sim_access(p, sizeof *p, SIM_ATOMIC, SIM_CALLER);                                                              \
        const uint##bits##_t old = *p;                                                                                 \
        *p = (uint##bits##_t)(result);                                                                                 \
        return old;                                                                                                    \
    }

#define LOAD_STORE_CAS(bits)                                                                                           \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *p, int order);                            \
    ON_ANY_STACK uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *p, int order) {              \
        (void)order;                                                                                                   \
        sim_access(p, sizeof *p, SIM_ATOMIC, SIM_CALLER);                                                              \
        return *p;                                                                                                     \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *p, uint##bits##_t value, int order);                     \
    ON_ANY_STACK void __tsan_atomic##bits##_store(volatile uint##bits##_t *p, uint##bits##_t value, int order) {       \
        (void)order;                                                                                                   \
        sim_access(p, sizeof *p, SIM_ATOMIC, SIM_CALLER);                                                              \
        *p = value;                                                                                                    \
    }                                                                                                                  \
    COMPARE(bits, compare_exchange_strong)                                                                             \
    COMPARE(bits, compare_exchange_weak)                                                                               \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(volatile uint##bits##_t *p, uint##bits##_t compare,      \
                                                              uint##bits##_t value, int order, int failure);           \
    ON_ANY_STACK uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                            \
        volatile uint##bits##_t *p, uint##bits##_t compare, uint##bits##_t value, int order, int failure) {            \
        (void)order, (void)failure;                                                                                    \
        sim_access(p, sizeof *p, SIM_ATOMIC, SIM_CALLER);                                                              \
        const uint##bits##_t old = *p;                                                                                 \
        if (old == compare)                                                                                            \
            *p = value;                                                                                                \
        return old;                                                                                                    \
    }

#define COMPARE(bits, name)                                                                                            \
    int __tsan_atomic##bits##_##name(volatile uint##bits##_t *p, uint##bits##_t *compare, uint##bits##_t value,        \
                                     int order, int failure);                                                          \
    ON_ANY_STACK int __tsan_atomic##bits##_##name(volatile uint##bits##_t *p, uint##bits##_t *compare,                 \
                                                  uint##bits##_t value, int order, int failure) {                      \
        (void)order, (void)failure;                                                                                    \
        sim_access(p, sizeof *p, SIM_ATOMIC, SIM_CALLER);                                                              \
        const uint##bits##_t old = *p;                                                                                 \
        const int equal = old == *compare;                                                                             \
        if (equal)                                                                                                     \
            *p = value;                                                                                                \
        else                                                                                                           \
            *compare = old;                                                                                            \
        return equal;                                                                                                  \
    }

#define C_ATOMICS(bits)                                                                                                \
    LOAD_STORE_CAS(bits)                                                                                               \
    FETCH(bits, exchange, value)                                                                                       \
    FETCH(bits, fetch_add, old + value)                                                                                \
    FETCH(bits, fetch_sub, old - value)                                                                                \
    FETCH(bits, fetch_and, old &value)                                                                                 \
    FETCH(bits, fetch_or, old | value)                                                                                 \
    FETCH(bits, fetch_xor, old ^ value)                                                                                \
    FETCH(bits, fetch_nand, ~(old & value))
C_ATOMICS(8)
C_ATOMICS(16)
C_ATOMICS(32)
C_ATOMICS(64)

void __tsan_atomic_thread_fence(int order);
ON_ANY_STACK void __tsan_atomic_thread_fence(int order) {
    (void)order;
}

void __tsan_atomic_signal_fence(int order);
ON_ANY_STACK void __tsan_atomic_signal_fence(int order) {
    (void)order;
}
