#include <string.h>

#include "device/kernel/kernel_hooks.h"
#include "sim/lane.h"

// The functions that compiled kernels call: before each access and block of code, and to ask for their indices.

// ---- Accesses ----

// Splits an access that no single GPU instruction can make into pieces as wide as the alignment allows.
ON_ANY_STACK static void access_pieces(const volatile void *address, size_t bytes, size_t widest, enum sim_step step,
                                       uintptr_t pc, uintptr_t frame) {
    size_t alignment = ((uintptr_t)address | bytes | widest) & -((uintptr_t)address | bytes | widest);
    for (size_t done = 0; done < bytes; done += alignment) {
        sim_access((const volatile char *)address + done, alignment, step, pc, frame);
    }
}

// 16 bytes that are only aligned to 8 are two halves of a struct.
ON_ANY_STACK static void access_16(const volatile void *address, enum sim_step step, uintptr_t pc, uintptr_t frame) {
    if ((uintptr_t)address % 16 == 8) {
        access_pieces(address, 16, 8, step, pc, frame);
    } else {
        sim_access(address, 16, step, pc, frame);
    }
}

#define ACCESS(operation, bytes, step)                                                                                 \
    SIM_HOOK(void, __tsan_##operation##bytes, void *address) {                                                         \
        sim_step_access(address, bytes, step, SIM_CALLER);                                                             \
    }
#define UNALIGNED(operation, bytes, step)                                                                              \
    SIM_HOOK(void, __tsan_unaligned_##operation##bytes, void *address) {                                               \
        access_pieces(address, bytes, 4, step, SIM_CALLER);                                                            \
    }
#define ACCESSES(operation, step)                                                                                      \
    ACCESS(operation, 1, step)                                                                                         \
    ACCESS(operation, 2, step)                                                                                         \
    ACCESS(operation, 4, step)                                                                                         \
    ACCESS(operation, 8, step)                                                                                         \
    SIM_HOOK(void, __tsan_##operation##16, void *address) {                                                            \
        access_16(address, step, SIM_CALLER);                                                                          \
    }                                                                                                                  \
    ACCESS(volatile_##operation, 1, step)                                                                              \
    ACCESS(volatile_##operation, 2, step)                                                                              \
    ACCESS(volatile_##operation, 4, step)                                                                              \
    ACCESS(volatile_##operation, 8, step)                                                                              \
    SIM_HOOK(void, __tsan_volatile_##operation##16, void *address) {                                                   \
        access_16(address, step, SIM_CALLER);                                                                          \
    }                                                                                                                  \
    UNALIGNED(operation, 2, step)                                                                                      \
    UNALIGNED(operation, 4, step)                                                                                      \
    UNALIGNED(operation, 8, step)                                                                                      \
    UNALIGNED(operation, 16, step)                                                                                     \
    SIM_HOOK(void, __tsan_##operation##_range, void *address, size_t bytes) {                                          \
        access_pieces(address, bytes, 16, step, SIM_CALLER);                                                           \
    }
ACCESSES(read, SIM_LOAD)
ACCESSES(write, SIM_STORE)

SIM_HOOK(void, __tsan_init, void) {}

// A lane ends where its kernel is about to return. The processor would predict a return to where a lane called a hook
// last, because lanes call and never return in turn.
SIM_HOOK(void, __tsan_func_entry, void *caller) {
    if (sim_turn.current && !sim_range_has(&sim_turn.text, (uintptr_t)caller)) {
        sim_turn.current->kernel_frame = (uintptr_t)__builtin_dwarf_cfa();
    }
}

SIM_HOOK(void, __tsan_func_exit, void) {
    if (sim_turn.current && sim_turn.current->kernel_frame == (uintptr_t)__builtin_dwarf_cfa()) {
        sim_leave_kernel();
    }
}

// clang calls the first three; the dialect's memcpy and memset call the others.
#define COPY_HOOK(name, function)                                                                                      \
    SIM_HOOK(void *, name, void *to, const void *from, size_t bytes) {                                                 \
        access_pieces(from, bytes, 16, SIM_LOAD, SIM_CALLER);                                                          \
        access_pieces(to, bytes, 16, SIM_STORE, SIM_CALLER);                                                           \
        return function(to, from, bytes);                                                                              \
    }
#define FILL_HOOK(name)                                                                                                \
    SIM_HOOK(void *, name, void *to, int byte, size_t bytes) {                                                         \
        access_pieces(to, bytes, 16, SIM_STORE, SIM_CALLER);                                                           \
        return memset(to, byte, bytes);                                                                                \
    }
COPY_HOOK(__tsan_memcpy, memcpy)
COPY_HOOK(__tsan_memmove, memmove)
FILL_HOOK(__tsan_memset)
COPY_HOOK(sim_memcpy, memcpy)
FILL_HOOK(sim_memset)

SIM_HOOK(int, sim_replace_plainly, void *memory, void *old, const void *now, size_t bytes) {
    const int unchanged = memcmp(memory, old, bytes) == 0;
    if (unchanged) {
        memcpy(memory, now, bytes);
    } else {
        memcpy(old, memory, bytes);
    }
    return unchanged;
}

// ---- Basic blocks ----

SIM_HOOK(void, sim_branch, void) {
    struct sim_lane *lane = sim_turn.current;
    if (lane) {
        sim_pass(lane, SIM_BRANCH, SIM_CALLER);
    }
}

SIM_HOOK(void, __sanitizer_cov_trace_pc, void) {
    struct sim_lane *lane = sim_turn.current;
    if (lane && ++lane->pauses == SIM_BLOCKS_WITHOUT_STEP) {
        sim_take_step(SIM_PAUSE, SIM_CALLER);
    }
}

// ---- Indices of a lane ----

#define INDEX(name, place)                                                                                             \
    SIM_HOOK(uint32_t, sim_##name##_x, void) {                                                                         \
        return place.x;                                                                                                \
    }                                                                                                                  \
    SIM_HOOK(uint32_t, sim_##name##_y, void) {                                                                         \
        return place.y;                                                                                                \
    }                                                                                                                  \
    SIM_HOOK(uint32_t, sim_##name##_z, void) {                                                                         \
        return place.z;                                                                                                \
    }
INDEX(thread_index, sim_turn.current->thread)
INDEX(block_index, sim_turn.block)
INDEX(block_size, sim_turn.block_size)
INDEX(grid_size, sim_turn.grid_size)

SIM_HOOK(uint32_t, sim_lane_index, void) {
    return sim_turn.current->number;
}

SIM_HOOK(uint64_t, sim_cycles, void) {
    sim_catch_up();
    return sim_turn.current->warp->cycles;
}

SIM_HOOK(uint64_t, sim_nanoseconds, void) {
    sim_catch_up();
    return (uint64_t)((double)sim_turn.current->warp->cycles * sim_turn.nanoseconds_per_cycle);
}

// ---- Atomics ----

// A kernel's atomics: the dialect's, and the calls that compilers generate for C's own. Lanes run one after another, so
// a plain read and write between two steps is atomic.

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
