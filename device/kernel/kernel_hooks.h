// The functions that compiled kernels call. The simulator defines them (sim/step.c).
#ifndef DEVICE_KERNEL_KERNEL_HOOKS_H
#define DEVICE_KERNEL_KERNEL_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// For calls that synchronize lanes: the compiler must not merge two of them.
#ifdef __clang__
#define SIM_MEETING __attribute__((convergent, nomerge))
#else
#define SIM_MEETING
#endif

#define SIM_ARITHMETIC_TYPES(X)                                                                                        \
    X(int, i)                                                                                                          \
    X(unsigned, u)                                                                                                     \
    X(long, l)                                                                                                         \
    X(unsigned long, ul)                                                                                               \
    X(long long, ll)                                                                                                   \
    X(unsigned long long, ull)                                                                                         \
    X(float, f)                                                                                                        \
    X(double, d)

// ---- Indices of a lane ----

// "const": the value never changes for a lane, so the compiler calls each function at most once.
#define SIM_DECLARE_INDEX(name)                                                                                        \
    uint32_t sim_##name##_x(void) __attribute__((const));                                                              \
    uint32_t sim_##name##_y(void) __attribute__((const));                                                              \
    uint32_t sim_##name##_z(void) __attribute__((const));
SIM_DECLARE_INDEX(thread_index)
SIM_DECLARE_INDEX(block_index)
SIM_DECLARE_INDEX(block_size)
SIM_DECLARE_INDEX(grid_size)
uint32_t sim_lane_index(void) __attribute__((const));

// ---- Barriers, clocks ----

#define SIM_ALL_LANES UINT64_MAX
void sim_block_barrier(void) SIM_MEETING;
void sim_warp_barrier(uint64_t mask) SIM_MEETING;
void sim_fence(void);
uint64_t sim_cycles(void);
uint64_t sim_nanoseconds(void);

// ---- Warps: shuffles and votes ----

enum sim_shuffle_kind {
    SIM_SHUFFLE_DOWN,
    SIM_SHUFFLE_UP,
    SIM_SHUFFLE_XOR,
    SIM_SHUFFLE_INDEX,
    SIM_SHUFFLE_ADD // the sum of 32 bits over all lanes that take part
};

// The bits of the lane that kind and operand name within this lane's run of width lanes; this lane's bits if there is
// no such lane, 0 if it is inactive.
uint64_t sim_shuffle(enum sim_shuffle_kind kind, uint64_t mask, uint64_t bits, uint32_t operand,
                     uint32_t width) SIM_MEETING;
uint64_t sim_ballot(uint64_t mask, bool predicate) SIM_MEETING;
uint64_t sim_active_lanes(void) SIM_MEETING;

// ---- Atomics: every one returns the old value ----

#define SIM_ATOMIC_INTEGERS(X, operation, result)                                                                      \
    X(operation, int, i, result)                                                                                       \
    X(operation, unsigned, u, result)                                                                                  \
    X(operation, long, l, result)                                                                                      \
    X(operation, unsigned long, ul, result)                                                                            \
    X(operation, long long, ll, result)                                                                                \
    X(operation, unsigned long long, ull, result)
#define SIM_ATOMIC_NUMBERS(X, operation, result)                                                                       \
    SIM_ATOMIC_INTEGERS(X, operation, result)                                                                          \
    X(operation, float, f, result)                                                                                     \
    X(operation, double, d, result)

// X(operation, type, suffix, the new value as an expression of old and value). SIM_FLOAT_SUM is the sum of floats at p.
#define SIM_ATOMICS(X)                                                                                                 \
    SIM_ATOMIC_INTEGERS(X, add, (uint64_t)old + (uint64_t)value)                                                       \
    X(add, float, f, SIM_FLOAT_SUM(p, old, value))                                                                     \
    X(add, double, d, old + value)                                                                                     \
    SIM_ATOMIC_INTEGERS(X, sub, (uint64_t)old - (uint64_t)value)                                                       \
    SIM_ATOMIC_NUMBERS(X, min, value < old ? value : old)                                                              \
    SIM_ATOMIC_NUMBERS(X, max, value > old ? value : old)                                                              \
    SIM_ATOMIC_NUMBERS(X, exchange, value)                                                                             \
    SIM_ATOMIC_INTEGERS(X, and, old &value)                                                                            \
    SIM_ATOMIC_INTEGERS(X, or, old | value)                                                                            \
    SIM_ATOMIC_INTEGERS(X, xor, old ^ value)

#define SIM_DECLARE_ATOMIC(operation, type, suffix, result)                                                            \
    type sim_atomic_##operation##_##suffix(volatile type *p, type value);
SIM_ATOMICS(SIM_DECLARE_ATOMIC)
#define SIM_DECLARE_CAS(unused, type, suffix, none)                                                                    \
    type sim_atomic_cas_##suffix(volatile type *p, type compare, type value);
SIM_ATOMIC_INTEGERS(SIM_DECLARE_CAS, , )

// ---- Stops ----

// Ends the launch with this message.
void sim_trap(const char *words) __attribute__((noreturn));

// ---- Bytes ----

void *sim_memcpy(void *to, const void *from, size_t bytes);
void *sim_memset(void *to, int byte, size_t bytes);

#endif
