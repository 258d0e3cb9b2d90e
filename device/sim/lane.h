// Lanes and warps: how a kernel's calls (hooks.c, warp.c, atomic.c) meet the scheduler (run.c).
//
// A lane is a coroutine. Before each access, branch, barrier and shuffle the kernel calls a hook, which notes what the
// lane is about to do and lets the next lane of its group run; the last one lets the scheduler run. The scheduler
// takes the lanes that stand lowest, together: that is one instruction of the warp.
#ifndef DEVICE_SIM_LANE_H
#define DEVICE_SIM_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "device/sim/coroutine.h"
#include "model/request.h"

enum {
    SIM_BLOCK_THREADS = 1024 // the most that a block has, on every part
};

// What a lane is about to do.
enum sim_step {
    SIM_START,
    SIM_LOAD,
    SIM_STORE,
    SIM_ATOMIC,
    SIM_BRANCH,
    SIM_PAUSE, // nothing: a long run without any other step
    SIM_BLOCK_BARRIER,
    SIM_WARP_BARRIER,
    SIM_SHUFFLE_STEP,
    SIM_BALLOT_STEP,
    SIM_TRAP
};

// What one lane brings to a step of the whole warp, and takes from it.
struct sim_exchange {
    uint64_t mask; // lanes that must take part
    uint64_t bits; // value in, result out
    uint32_t kind, operand, width;
};

struct sim_lane {
    struct coroutine *coroutine; // NULL before it starts and when it has returned
    struct sim_warp *warp;
    uint32_t number; // within the warp
    uint32_t pauses; // basic blocks since its last step
    struct dimensions thread;
    struct sim_exchange exchange;
    const char *trap; // the kernel's words
};

// A warp's way through a kernel: what it did, and how often it had to wait for what it had loaded.
struct sim_path {
    uint64_t instructions, global_waits, shared_waits, barriers;
};

struct sim_warp {
    struct request request; // the addresses are written by the lanes
    // Orders the lanes: deeper calls first, then lower addresses. UINT64_MAX: has returned, or waits at a barrier.
    uint64_t key[WARP_WIDTH_MAX];
    uint8_t step[WARP_WIDTH_MAX];
    uint8_t width[WARP_WIDTH_MAX];
    uint64_t live;         // lanes that have not returned
    uint64_t at_barrier;   // of these, those that wait for the block
    uint32_t barriers;     // warp barriers passed
    uint32_t index, count; // of the warp in its block; lanes in it
    struct sim_lane *lanes;
    uintptr_t barrier_pc;              // where the lanes at the barrier wait
    uint64_t cycles;                   // issued so far
    struct sim_path path;              // what it went through one after the other
    bool awaits_global, awaits_shared; // loads are under way that nothing has waited for
};

// Whose turn it is. One kernel runs at a time in this process.
struct sim_turn {
    struct sim_lane *current; // NULL: the scheduler
    uint64_t pending;         // lanes of the group that run after it
    struct sim_lane *lanes;   // of the group's warp
    struct coroutine scheduler;
    struct dimensions block, block_size, grid_size;
    double nanoseconds_per_cycle;
    void (*call_kernel)(void); // calls it with the launch's arguments
    int fault_signal;          // that stopped the current lane; 0: none
    uintptr_t fault_pc;
    uint32_t fault_lane; // its place in the warp
};

extern struct sim_turn sim_turn;

// The instruction that a key stands for: the address behind the hook's call.
static inline uintptr_t sim_key_pc(uint64_t key) {
    return (uintptr_t)(key & UINT64_C(0xffffffffffff));
}

// Lets a lane run in the group's place, then the others; returns when all have reached their next step.
void sim_run_group(struct sim_warp *warp, uint64_t group);

// What a lane's coroutine runs: kernel after kernel.
void sim_lane_main(void);

// Notes the step of the current lane and lets others run until it is this lane's turn again.
void sim_take_step(enum sim_step step, uintptr_t pc, uintptr_t frame);

// The same for an access of memory; an access to the lane's own stack is none.
void sim_access(const volatile void *address, size_t bytes, enum sim_step step, uintptr_t pc, uintptr_t frame);

// Defines a function that kernels call by this name. In C it has another one: compilers have views of their own on what
// some of these look like.
#define SIM_HOOK(type, name, ...)                                                                                      \
    type sim_hook_##name(__VA_ARGS__) __asm__(#name);                                                                  \
    ON_ANY_STACK type sim_hook_##name(__VA_ARGS__)

// In a hook: where the kernel called it.
#define SIM_CALLER (uintptr_t) __builtin_return_address(0), (uintptr_t)__builtin_frame_address(0)

#endif
