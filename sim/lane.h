// A lane and its warp: what they have loaded, what they wait for, and what they have done since the last barrier.
#ifndef SIM_LANE_H
#define SIM_LANE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "device/device.h"
#include "model/gpus.h"
#include "model/request.h"
#include "model/work.h"
#include "sim/compile/module.h"
#include "sim/coroutine.h"
#include "sim/count.h"
#include "util/error.h"

// ---- Lanes that do the same ----

// Comparisons over the lanes of a warp, which usually do the same.

// Lanes without a gap between them.
struct sim_neighbours {
    uint32_t first, count;
};

// The group's first lanes up to a gap. False if there is one.
static inline bool sim_find_neighbours(uint64_t group, struct sim_neighbours *lanes) {
    const uint64_t rest = group >> __builtin_ctzll(group), gaps = ~rest;
    *lanes = (struct sim_neighbours){(uint32_t)__builtin_ctzll(group), gaps ? (uint32_t)__builtin_ctzll(gaps) : 64};
    return (rest & (rest + 1)) == 0;
}

static inline uint64_t sim_lanes_of(struct sim_neighbours lanes) {
    return UINT64_MAX >> (64 - lanes.count) << lanes.first;
}

// Whether the lanes' bytes in an array with one for each lane are the same.
static inline bool sim_bytes_alike(const uint8_t *bytes, struct sim_neighbours lanes) {
    const uint64_t alike = bytes[lanes.first] * UINT64_C(0x0101010101010101);
    uint64_t differ = 0, eight;
    uint32_t i = 0;
    for (bytes += lanes.first; i + sizeof eight <= lanes.count; i += (uint32_t)sizeof eight) {
        memcpy(&eight, bytes + i, sizeof eight);
        differ |= eight ^ alike;
    }
    for (; i < lanes.count; i++) {
        differ |= bytes[i] ^ (alike & 0xff);
    }
    return !differ;
}

// The same for words. Lanes have just stored them one by one; the processor would wait for the stores if it loaded
// several words at once.
static inline bool sim_words_alike(const uint64_t *words, struct sim_neighbours lanes) {
    const uint64_t own = words[lanes.first];
    uint64_t differ = 0;
    uint32_t i = 0;
    for (words += lanes.first; i + 4 <= lanes.count; i += 4) {
        differ |= (words[i] ^ own) | (words[i + 1] ^ own) | (words[i + 2] ^ own) | (words[i + 3] ^ own);
    }
    for (; i < lanes.count; i++) {
        differ |= words[i] ^ own;
    }
    return !differ;
}

// ---- Loads that a GPU's compiler omits ----

// Finds the loads that a GPU's compiler omits, because it keeps loaded values in registers and merges neighbouring
// loads into a wide one. The host's compiler, which keeps registers in memory here, executes each load of the source.

enum {
    HELD_VALUES = 64 // of a thread; a register file holds at least as many
};

// What a warp has loaded since its last branch, barrier or store. A compiler knows no more than this: after a branch
// the earlier loads may not have run, and a barrier or a store may have changed their values.
struct sim_held {
    uint64_t since;              // counts these events
    uint64_t value[HELD_VALUES]; // identifies the lanes, their addresses, and the event count
    uint64_t piece[HELD_VALUES]; // the same of the 16 bytes that hold the value
    uint8_t pieces[HELD_VALUES]; // of these 16 bytes that have been loaded
    uint8_t passes[HELD_VALUES]; // that the wide load takes so far
};

// A GPU's version of a load from shared memory.
struct sim_kept {
    uint32_t requests, passes;
};

// Forgets what is held, at a branch, barrier or store.
static inline void sim_held_forget(struct sim_held *held) {
    held->since++;
}

// Registers a load of shared memory that costs `passes` by itself.
struct sim_kept sim_held_load(struct sim_held *held, const struct gpu *gpu, const struct request *request,
                              uint32_t passes);

// ---- Lanes and warps ----

// Lanes, warps and the running lane, shared by a kernel's calls and the scheduler (step.c).
//
// A lane is a coroutine. Before each access, branch, barrier and shuffle the kernel calls a hook, which records what
// the lane is about to do and switches to the next lane of its group; the last lane switches to the scheduler. The
// scheduler then picks the lanes at the lowest instruction: together they execute one instruction of the warp.
//
// Until its next access, a lane can neither see nor change anything of others. So it passes branches and barriers
// without a switch, but records them. The scheduler takes the recorded ones in their turn, as if the lane had stopped
// at each of them.

enum {
    SIM_BLOCK_THREADS = 1024, // the maximum of a block on every GPU
    SIM_BLOCKS_WITHOUT_STEP =
        1000,       // basic blocks after which a lane pauses, so that a loop without accesses can be stopped
    SIM_AHEAD = 15, // steps that a lane passes before it stops
    SIM_ROWS = SIM_AHEAD + 1,
    SIM_TAKEN = 16,          // of sim_warp.passed, more than SIM_AHEAD
    SIM_CLUSTER_BARRIER = 32 // above the numbers of a block's barriers and of warp groups
};

// What a lane is about to do.
enum sim_step {
    SIM_START,
    SIM_LOAD,
    SIM_STORE,
    SIM_ATOMIC,
    SIM_BRANCH,
    SIM_PAUSE, // nothing: the lane has run long without a step
    SIM_BLOCK_BARRIER,
    SIM_WARP_BARRIER,
    SIM_SHUFFLE_STEP,
    SIM_BALLOT_STEP,
    SIM_MEETING_STEP, // of a kernel that was translated from PTX: lane.meet
    SIM_TRAP
};

// One lane's part in a step of the whole warp.
struct sim_exchange {
    uint64_t mask; // lanes that must take part
    uint64_t bits; // the lane's value before the step, its result after it
    uint32_t kind, operand, width;
};

// PTX has several barriers, and some of a block's threads may meet at one.
struct sim_barrier {
    uint32_t number, threads; // threads 0: all of the block
};

struct sim_ptx_meeting;
struct sim_race;

// What most steps use comes first, in one line of the host's cache.
struct sim_lane {
    // The same in every block of a launch:
    _Alignas(64) struct sim_warp *warp;
    uint32_t number; // within the warp
    struct dimensions thread;
    // Cleared when a block begins:
    struct coroutine *coroutine; // NULL before it starts and when it has returned
    uint32_t pauses;             // basic blocks since its last step
    uintptr_t deepest;           // frame on its stack that a key can tell from deeper ones
    uintptr_t kernel_frame;      // where the kernel calls hooks
    struct sim_exchange exchange;
    struct sim_barrier barrier;                          // at which it waits
    bool adds_floats;                                    // its atomic, which takes longer than one of integers
    const char *trap;                                    // the kernel's message
    bool asserts;                                        // it is the condition of an assertion
    bool left;                                           // it ended the kernel in the midst of a function
    void (*meet)(const struct sim_ptx_meeting *meeting); // what the lanes of a meeting do, once for all
    bool meets_for_access;                               // the meeting belongs to an access that has been counted
    void *brings;                                        // the lane's part in it
};

// What a warp has executed since the block's last barrier, and how often it waited for loads.
struct sim_path {
    struct block_interval work; // of this warp alone
    uint32_t in_turn;           // instructions, without those that only make a loaded value an address; in
                                // units of 1 / TIME_UNROLLED_ROUNDS, because unrolled rounds overlap
    double cluster_clocks; // for which requests by way of the cluster keep the unit busy; the passes have none of these
};

// Loads whose values a warp has not yet waited for. A bit stands for each load (compile/assembly.h).
struct sim_outstanding {
    uint64_t loads;
    bool global, atomic;    // some are from global memory; some are what atomics return
    bool far;               // some of those from global memory miss L1
    bool stored;            // some are from a buffer that the launch stores to
    bool other;             // some of those from shared memory are of other widths than 4 bytes
    uint32_t shared_passes; // the most of those from shared memory; 0: there are none
    uint32_t in_turn;       // the path's, before the latest of them
};

// Lanes that copy from global to shared memory, from the first access to the last one of their copies.
struct sim_copying {
    uint64_t lanes, past_l1;
    uint64_t from[WARP_WIDTH_MAX], to[WARP_WIDTH_MAX]; // the host's addresses
};

struct sim_warp {
    struct request request; // the lanes write its addresses
    // What each lane is about to do. Keys order the lanes: deeper calls first, then lower addresses. UINT64_MAX: the
    // lane has returned. The first row is the scheduler's. A lane that passes steps records them from there on, and
    // below them the step at which it stops.
    union {
        uint64_t key[WARP_WIDTH_MAX], keys[SIM_ROWS * WARP_WIDTH_MAX];
    };
    union {
        uint8_t step[WARP_WIDTH_MAX], steps[SIM_ROWS * WARP_WIDTH_MAX];
    };
    uint8_t width[WARP_WIDTH_MAX];
    uint8_t passed[WARP_WIDTH_MAX]; // steps since the lane's last stop, plus SIM_TAKEN for each of them that was taken
    uint64_t live;                  // lanes that have not returned
    uint32_t index, count;          // the warp's index in its block; its number of lanes
    struct sim_lane *lanes;
    struct sim_held held; // of shared memory
    struct sim_copying copying;
    // Cleared when a block begins:
    uint64_t ended;       // lanes that have returned, even if the scheduler has yet to take steps of them
    uint64_t at_barrier;  // live lanes that wait at a barrier of the block
    uint32_t barriers;    // warp barriers passed
    uintptr_t barrier_pc; // where the lanes at the barrier wait
    bool barriers_differ; // some of them wait elsewhere
    uint64_t cycles;      // issued so far
    struct sim_path path;
    struct sim_outstanding outstanding;
    uint64_t jump_needs, use_needs; // the loads that decide the jump after the last step
    uint8_t use_loop;               // enum loop_kind of those uses
    uint32_t under_way[2];          // of a program by wave: instructions of vector memory and LDS since the last wait
    bool stored;                    // to global memory since its last fence
    bool fenced;                    // since its last step, and it had stored before
    uint8_t copies;                 // stores of what was loaded, since the last barrier
    uint8_t rounds[64];             // of unrolled loops, by the site that waits
};

// The running lane. One kernel at a time runs in this process.
struct sim_turn {
    struct sim_lane *current; // NULL: the scheduler
    uint64_t pending;         // lanes of the group that have yet to run
    struct sim_lane *lanes;   // of the group's warp
    struct coroutine scheduler;
    struct sim_range text;            // of the kernel's file
    struct sim_range shared, dynamic; // memory of the block
    bool nvidia;                      // the GPU is NVIDIA's
    bool by_wave;                     // a coroutine runs a whole warp (wave.h)
    struct dimensions block, block_size, grid_size;
    uint32_t rank; // of the block in its cluster
    double nanoseconds_per_cycle;
    uint32_t dynamic_shared_bytes;
    uint8_t ahead;        // steps that a lane of this launch may pass before it stops
    bool names_barriers;  // a lane waited for some of the block's threads only, or brought a value
    uint64_t barrier_sum; // of what the lanes brought to the barrier that opened last
    struct sim_race *race;
    void (*call_kernel)(void *call); // calls it with the launch's arguments
    void *call;
    int fault_signal; // the signal that stopped the current lane; 0: none
    int fault_call;   // of SIGSYS: the system call
    uintptr_t fault_pc, fault_stack;
    uint32_t fault_lane; // its index in the warp
};

extern struct sim_turn sim_turn;

// Unsigned differences leave one comparison for each range. Lanes call this, too.
ON_ANY_STACK static inline bool sim_range_has(const struct sim_range *range, uint64_t address) {
    return address - range->begin < range->end - range->begin;
}

// Whether the address is in the shared memory of the block, or of one of its cluster.
ON_ANY_STACK static inline bool sim_is_shared(uint64_t address) {
    return sim_range_has(&sim_turn.shared, address) || sim_range_has(&sim_turn.dynamic, address);
}

// The instruction of a key: the return address of the hook's call.
static inline uintptr_t sim_key_pc(uint64_t key) {
    return (uintptr_t)(key & UINT64_C(0xffffffffffff));
}

// Takes each lane of the group to its next step.
void sim_run_group(struct sim_warp *warp, uint64_t group);

// The main function of a lane's coroutine: runs one kernel after another.
void sim_lane_main(void);

// Records the current lane's step and returns when the scheduler resumes the lane.
void sim_take_step(enum sim_step step, uintptr_t pc, uintptr_t frame);

// The same with the depth of calls in place of the frame.
void sim_take_step_at(enum sim_step step, uintptr_t pc, uint64_t depth);

// Takes the step of a memory access, unless it goes to the lane's own stack.
void sim_access(const volatile void *address, size_t bytes, enum sim_step step, uintptr_t pc, uintptr_t frame);

// Returns when the scheduler has taken all steps that the current lane has passed.
void sim_catch_up(void);

// Ends the kernel for the current lane, also within a function that the kernel calls.
void sim_leave_kernel(void) __attribute__((noreturn));

// ---- A step, inline, because a kernel's every access and branch is one ----

// Switches from one coroutine to the next lane of the group, or to the scheduler.
ON_ANY_STACK static inline void sim_hand_over(struct coroutine *from) {
    const uint64_t pending = sim_turn.pending;
    struct coroutine *next = &sim_turn.scheduler;
    struct sim_lane *lane = NULL;
    if (pending) {
        lane = &sim_turn.lanes[(uint32_t)__builtin_ctzll(pending)];
        sim_turn.pending = pending & (pending - 1);
        next = lane->coroutine;
    }
    sim_turn.current = lane;
    coroutine_switch(from, next);
}

ON_ANY_STACK static inline void sim_record(struct sim_lane *lane, enum sim_step step, uint64_t key) {
    struct sim_warp *warp = lane->warp;
    const size_t place = (size_t)warp->passed[lane->number] * WARP_WIDTH_MAX + lane->number;
    warp->steps[place] = (uint8_t)step;
    warp->keys[place] = key;
    lane->pauses = 0;
}

// Deeper calls have frames at lower addresses. These are multiples of 16, except in an endless loop, whose call the
// compiler has not made.
ON_ANY_STACK static inline uint64_t sim_key_in_frame(const struct sim_lane *lane, uintptr_t pc, uintptr_t frame) {
    return (uint64_t)(frame - lane->deepest) / 16 << 48 | pc;
}

ON_ANY_STACK static inline void sim_step_in_frame(struct sim_lane *lane, enum sim_step step, uintptr_t pc,
                                                  uintptr_t frame) {
    sim_record(lane, step, sim_key_in_frame(lane, pc, frame));
    sim_hand_over(lane->coroutine);
}

// Records a step that has no effect on other lanes, and stops only if the lane may pass no more of them.
ON_ANY_STACK static inline void sim_pass(struct sim_lane *lane, enum sim_step step, uintptr_t pc, uintptr_t frame) {
    struct sim_warp *warp = lane->warp;
    sim_record(lane, step, sim_key_in_frame(lane, pc, frame));
    if (warp->passed[lane->number] == sim_turn.ahead) {
        sim_hand_over(lane->coroutine);
        return;
    }
    warp->passed[lane->number]++;
}

ON_ANY_STACK static inline void sim_step_access(const volatile void *address, size_t bytes, enum sim_step step,
                                                uintptr_t pc, uintptr_t frame) {
    struct sim_lane *lane = sim_turn.current;
    if (lane && (uintptr_t)address - (uintptr_t)lane->coroutine->stack_low >= COROUTINE_STACK_BYTES) {
        lane->warp->request.address[lane->number] = (uintptr_t)address;
        lane->warp->width[lane->number] = (uint8_t)bytes;
        sim_step_in_frame(lane, step, pc, frame);
    }
}

// ---- Hooks ----

// Defines a function that kernels call by this name. It has another name in C, because compilers have built-in
// declarations for some of these.
#define SIM_HOOK(type, name, ...)                                                                                      \
    type sim_hook_##name(__VA_ARGS__) __asm__(#name);                                                                  \
    ON_ANY_STACK type sim_hook_##name(__VA_ARGS__)

// In a hook: the place in the kernel that called it.
#define SIM_CALLER (uintptr_t) __builtin_return_address(0), (uintptr_t)__builtin_dwarf_cfa()

// ---- The loads that a step waits for ----

// Lets the warp wait for the loads that its next step needs. A load or a branch waits for those that its address or its
// condition comes from. Any other step waits for all: a store needs its value, and a barrier or a shuffle comes after
// whatever is before it.
void sim_wait(struct sim_warp *warp, const struct sim_site *site, enum sim_step step);

// The same where the instructions say when to wait: for what is under way from global memory, from shared memory.
void sim_wait_for_all(struct sim_warp *warp, bool global, bool shared);

// Notes the loads of a request that was made.
void sim_wait_later(struct sim_warp *warp, const struct sim_site *site, const struct sim_outstanding *loads);

// ---- Loads that hit L1 ----

// The sectors that the running block has loaded. When they no longer fit into L1, all are forgotten.
struct sim_near {
    uint64_t *keys; // a hash table, in which the keys of earlier blocks count as empty
    uint32_t slots; // a power of two
    uint32_t count, most;
    uint64_t block;
    uint64_t misses; // loads by all blocks of sectors that were not there, until it is reset
};

void sim_near_create(struct sim_near *near, uint32_t sectors);
void sim_near_destroy(struct sim_near *near);

// Call this before a block runs.
void sim_near_begin_block(struct sim_near *near);

// Notes that the block loads a sector. Returns whether the sector was there.
bool sim_near_load(struct sim_near *near, uint64_t sector);

// The multiplication of the simulator's hashes.

// Multiplies by 2^64 over the golden ratio, which takes neighbouring numbers far apart. The upper bits are the best.
static inline uint64_t sim_scatter(uint64_t number) {
    return number * UINT64_C(0x9e3779b97f4a7c15);
}

// The hash of a value and of those before it.
static inline uint64_t sim_mix(uint64_t hash, uint64_t value) {
    hash = sim_scatter(hash ^ value);
    return hash ^ hash >> 32;
}

#endif
