// The functions that compiled kernels call: before each access and block of code, and to ask for their indices.
#include "sim/lane.h"

#include <string.h>

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
