#include "sim/step.h"

#include <string.h>

#include "device/kernel/kernel_hooks.h"
#include "model/time/time_constants.h"
#include "sim/access.h"
#include "sim/block.h"
#include "sim/compile/assembly.h"
#include "sim/ptx/kernel/hooks.h"
#include "sim/report.h"
#include "util/clock.h"

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
#define ALIGNED(operation, step)                                                                                       \
    ACCESS(operation, 1, step)                                                                                         \
    ACCESS(operation, 2, step)                                                                                         \
    ACCESS(operation, 4, step)                                                                                         \
    ACCESS(operation, 8, step)                                                                                         \
    SIM_HOOK(void, __tsan_##operation##16, void *address) {                                                            \
        access_16(address, step, SIM_CALLER);                                                                          \
    }
#define ACCESSES(operation, step)                                                                                      \
    ALIGNED(operation, step)                                                                                           \
    ALIGNED(volatile_##operation, step)                                                                                \
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

// clang calls the form that takes the expected value; gcc calls those that store the old value where it differs.
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

// ---- Barriers and exchanges ----

ON_ANY_STACK void sim_block_barrier(void) {
    sim_pass(sim_turn.current, SIM_BLOCK_BARRIER, SIM_CALLER);
}

ON_ANY_STACK void sim_warp_barrier(uint64_t mask) {
    sim_turn.current->exchange.mask = mask;
    sim_take_step(SIM_WARP_BARRIER, SIM_CALLER);
}

ON_ANY_STACK void sim_fence(void) {
    sim_catch_up();
    // Lanes run one after another, so every store is visible at once. Only time passes.
    struct sim_warp *warp = sim_turn.current->warp;
    warp->fenced |= warp->stored;
    warp->stored = false;
}

ON_ANY_STACK void sim_trap(const char *words) {
    sim_turn.current->trap = words;
    for (;;) {
        sim_take_step(SIM_TRAP, SIM_CALLER);
    }
}

ON_ANY_STACK uint64_t sim_shuffle(enum sim_shuffle_kind kind, uint64_t mask, uint64_t bits, uint32_t operand,
                                  uint32_t width) {
    struct sim_lane *lane = sim_turn.current;
    const uint32_t few = sim_turn.nvidia ? operand & 31 : operand; // NVIDIA's instruction has five bits (PTX ISA, shfl)
    lane->exchange = (struct sim_exchange){mask, bits, (uint32_t)kind, few, width};
    sim_take_step(SIM_SHUFFLE_STEP, SIM_CALLER);
    return lane->exchange.bits;
}

ON_ANY_STACK uint64_t sim_ballot(uint64_t mask, bool predicate) {
    struct sim_lane *lane = sim_turn.current;
    lane->exchange = (struct sim_exchange){.mask = mask, .bits = predicate};
    sim_take_step(SIM_BALLOT_STEP, SIM_CALLER);
    return lane->exchange.bits;
}

ON_ANY_STACK uint64_t sim_active_lanes(void) {
    struct sim_lane *lane = sim_turn.current;
    lane->exchange = (struct sim_exchange){.bits = 1};
    sim_take_step(SIM_BALLOT_STEP, SIM_CALLER);
    return lane->exchange.bits;
}

// The lanes that the group's masks name and that have not returned. The step can run when all of them have reached it.
static uint64_t sim_expected_lanes(const struct sim_warp *warp, uint64_t group) {
    uint64_t expected = 0;
    for (uint64_t left = group; left; left &= left - 1) {
        expected |= warp->lanes[__builtin_ctzll(left)].exchange.mask;
    }
    return expected & warp->live;
}

// The lanes whose shuffle width is not a power of two from 1 to the warp's width.
static uint64_t sim_invalid_widths(const struct sim_warp *warp, uint64_t group, uint32_t warp_width) {
    uint64_t invalid = 0;
    for (uint64_t left = group; left; left &= left - 1) {
        uint32_t width = warp->lanes[__builtin_ctzll(left)].exchange.width;
        if (width == 0 || width > warp_width || (width & (width - 1)) != 0) {
            invalid |= left & -left;
        }
    }
    return invalid;
}

// Lets the lanes of the group meet.
static void sim_meet(struct sim_warp *warp, uint64_t group) {
    struct sim_ptx_meeting meeting = {.active = group};
    for (uint64_t left = group; left; left &= left - 1) {
        const int lane = __builtin_ctzll(left);
        meeting.lane[lane] = warp->lanes[lane].brings;
    }
    warp->lanes[__builtin_ctzll(group)].meet(&meeting);
}

// The lane that a shuffle reads (CUDA C++ Programming Guide, warp shuffle functions); the lane itself where that lane
// lies outside its segment.
static uint32_t source_lane(uint32_t lane, const struct sim_exchange *exchange) {
    uint32_t width = exchange->width, first = lane / width * width, place = lane - first;
    switch ((enum sim_shuffle_kind)exchange->kind) {
    case SIM_SHUFFLE_DOWN:
        return exchange->operand < width - place ? lane + exchange->operand : lane;
    case SIM_SHUFFLE_UP:
        return exchange->operand <= place ? lane - exchange->operand : lane;
    case SIM_SHUFFLE_XOR:
        return (lane ^ exchange->operand) < first + width ? lane ^ exchange->operand : lane;
    default:
        break;
    }
    return first + exchange->operand % width;
}

static uint64_t exchanged(const uint64_t *bits, uint64_t group, uint32_t lane, const struct sim_exchange *exchange) {
    if (exchange->kind != SIM_SHUFFLE_ADD) {
        return bits[source_lane(lane, exchange)];
    }
    uint32_t sum = 0;
    for (uint64_t left = group & exchange->mask; left; left &= left - 1) {
        sum += (uint32_t)bits[__builtin_ctzll(left)];
    }
    return sum;
}

// Gives each lane of the group its result.
static void sim_exchange_values(struct sim_warp *warp, uint64_t group, enum sim_step step) {
    uint64_t bits[WARP_WIDTH_MAX] = {0}, ballot = 0;
    for (uint64_t left = group; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        bits[lane] = warp->lanes[lane].exchange.bits;
        ballot |= (uint64_t)(bits[lane] != 0) << lane;
    }
    for (uint64_t left = group; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left);
        struct sim_exchange *exchange = &warp->lanes[lane].exchange;
        exchange->bits = step == SIM_BALLOT_STEP ? ballot : exchanged(bits, group, lane, exchange);
    }
}

enum {
    SLICE_STEPS = 4096, // of one warp before the next gets its turn, because warps may wait for each other
    STEPS_PER_CLOCK_CHECK = 1024
};

// ---- Steps of a warp ----

// The lanes at the lowest instruction. Usually all lanes are neighbours at the same one.
static uint64_t lowest(const struct sim_warp *warp, uint64_t candidates) {
    uint64_t key = UINT64_MAX, group = 0;
    struct sim_neighbours lanes;
    if (sim_find_neighbours(candidates, &lanes) && sim_words_alike(warp->key, lanes)) {
        return candidates;
    }
    for (uint64_t left = candidates; left; left &= left - 1) {
        const uint64_t own = warp->key[__builtin_ctzll(left)];
        key = own < key ? own : key;
    }
    for (uint64_t left = candidates; left; left &= left - 1) {
        group |= (uint64_t)(warp->key[__builtin_ctzll(left)] == key) << __builtin_ctzll(left);
    }
    return group;
}

static void count_step(struct sim_warp *warp, struct sim_site *site, uint64_t group, uint64_t cycles) {
    site->counts.instructions++;
    site->counts.lanes += (uint64_t)__builtin_popcountll(group);
    warp->cycles += cycles;
    warp->path.work.instructions += 1 + site->weight;
    warp->path.in_turn += (1 + site->weight) * (site->needs.loop == LOOP_UNROLLED ? 1 : TIME_UNROLLED_ROUNDS);
}

static void wait_at_barrier(struct sim_warp *warp, uint64_t group) {
    const uintptr_t pc = sim_key_pc(warp->key[__builtin_ctzll(group)]);
    sim_held_forget(&warp->held);
    warp->copies = 0;
    warp->barriers_differ = warp->at_barrier && (warp->barriers_differ || warp->barrier_pc != pc);
    warp->barrier_pc = pc;
    warp->at_barrier |= group;
}

static enum status exchange(struct sim_launch *launch, struct sim_warp *warp, uint64_t group, enum sim_step step) {
    uint32_t most = launch->gpu->warp_width;
    uint64_t invalid = step == SIM_SHUFFLE_STEP ? sim_invalid_widths(warp, group, most) : 0;
    if (invalid) {
        uint32_t lane = (uint32_t)__builtin_ctzll(invalid);
        return sim_report(launch, warp, lane, "shuffles over %u lanes: give a power of two from 1 to %u",
                          warp->lanes[lane].exchange.width, most);
    }
    sim_exchange_values(warp, group, step);
    return STATUS_OK;
}

// *group shrinks to the lanes that continue together; 0: they wait at a barrier.
static enum status perform(struct sim_launch *launch, struct sim_warp *warp, struct sim_site *site, enum sim_step step,
                           uint64_t *group, uint64_t *cycles) {
    const uint32_t first = (uint32_t)__builtin_ctzll(*group);
    switch (step) {
    case SIM_START:
    case SIM_PAUSE:
        break;
    case SIM_LOAD:
    case SIM_STORE:
    case SIM_ATOMIC:
        return sim_memory_step(launch, warp, group, site, cycles);
    case SIM_BRANCH:
        site->counts.branches++;
        sim_held_forget(&warp->held);
        break;
    case SIM_BLOCK_BARRIER:
        site->counts.barriers++;
        wait_at_barrier(warp, *group);
        *group = 0;
        break;
    case SIM_WARP_BARRIER:
        warp->barriers++;
        sim_held_forget(&warp->held);
        break;
    case SIM_SHUFFLE_STEP:
    case SIM_BALLOT_STEP:
        warp->path.work.exchanges++;
        return exchange(launch, warp, *group, step);
    case SIM_MEETING_STEP:
        sim_meet(warp, *group);
        break;
    case SIM_TRAP:
        return sim_report(launch, warp, first, "%s%s", warp->lanes[first].asserts ? "assertion failed: " : "",
                          warp->lanes[first].trap);
    }
    return STATUS_OK;
}

// Performs and counts the group's step.
static enum status take_step(struct sim_launch *launch, struct sim_warp *warp, uint64_t *group) {
    const uint64_t arrived = *group;
    const uint32_t first = (uint32_t)__builtin_ctzll(arrived);
    const enum sim_step step = warp->step[first];
    if (step == SIM_START || step == SIM_PAUSE) {
        return STATUS_OK;
    }
    struct sim_site *site = sim_sites_find(launch->sites, sim_key_pc(warp->key[first]));
    uint64_t cycles = launch->caches ? 0 : 1; // a chain runs while an access is under way
    sim_wait(warp, site, step);
    const enum status status = perform(launch, warp, site, step, group, &cycles);
    if (step != SIM_MEETING_STEP || !warp->lanes[first].meets_for_access) {
        count_step(warp, site, *group ? *group : arrived, cycles);
    }
    return status;
}

// Whether the group must wait for lanes that its masks name and that can still reach the step.
static bool is_incomplete(const struct sim_warp *warp, uint64_t group) {
    enum sim_step step = warp->step[__builtin_ctzll(group)];
    return (step == SIM_WARP_BARRIER || step == SIM_SHUFFLE_STEP || step == SIM_BALLOT_STEP ||
            step == SIM_MEETING_STEP) &&
           (sim_expected_lanes(warp, group) & sim_runnable_lanes(warp) & ~group);
}

enum status sim_check_time(struct sim_launch *launch, const struct sim_warp *warp, uint64_t group) {
    if (++launch->steps % STEPS_PER_CLOCK_CHECK) {
        return STATUS_OK;
    }
    sim_progress_show(&launch->progress);
    if (launch->limit_s <= 0 || clock_s() - launch->begun_s < launch->limit_s) {
        return STATUS_OK;
    }
    return sim_report(launch, warp, (uint32_t)__builtin_ctzll(group),
                      "still runs after %g s: check that it ends, or allow it more time", launch->limit_s);
}

// Runs the group's lanes to their next steps.
static enum status advance(struct sim_launch *launch, struct sim_warp *warp, uint64_t group) {
    sim_run_group(warp, group);
    if (sim_turn.fault_signal) {
        return sim_report_signal(launch, warp);
    }
    for (uint64_t left = group & ~warp->live; left; left &= left - 1) {
        struct sim_lane *lane = &warp->lanes[__builtin_ctzll(left)];
        (lane->left ? sim_lane_abandon : sim_lane_finish)(lane);
    }
    return STATUS_OK;
}

enum status sim_run_warp(struct sim_launch *launch, struct sim_warp *warp) {
    uint64_t held = 0; // lanes that wait for other lanes of the warp
    for (int step = 0; step < SLICE_STEPS && sim_runnable_lanes(warp); step++) {
        uint64_t candidates = sim_runnable_lanes(warp) & ~held;
        bool stuck = !candidates; // every lane that could run waits for one that cannot come
        uint64_t group = lowest(warp, stuck ? sim_runnable_lanes(warp) : candidates);
        TRY(sim_check_time(launch, warp, group));
        if (!stuck && is_incomplete(warp, group)) {
            held |= group;
            continue;
        }
        enum status status = take_step(launch, warp, &group);
        if (status == STATUS_OK && group) {
            status = advance(launch, warp, group);
        }
        if (status != STATUS_OK) {
            return status;
        }
        held = 0;
    }
    return STATUS_OK;
}
