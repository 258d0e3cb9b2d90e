// Functions of the simulator for kernels that were translated from AMDGPU assembly. One call is one instruction of a
// whole wave. A site stands for an instruction, as in sim/ptx/kernel/hooks.h.
#ifndef SIM_AMDGCN_KERNEL_WAVE_HOOKS_H
#define SIM_AMDGCN_KERNEL_WAVE_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_wave_operation {
    SIM_WAVE_LOAD,
    SIM_WAVE_STORE,
    SIM_WAVE_ATOMIC,
    SIM_WAVE_ATOMIC_FLOAT // it adds floating-point numbers
};

// What the simulator and the translation tell each other of a wave.
struct sim_wave {
    uint32_t index;    // in its block
    uint32_t threads;  // of the wave that exist
    uint32_t first;    // its first thread's number in the block
    uint32_t block[3]; // the block's place in the grid
    uint32_t size[3];  // the block's threads
    uint32_t issued;   // instructions since the last call
    uint32_t passes;   // of products of matrices, four clocks each, beyond the first of each
};

void sim_wave_begin(struct sim_wave *wave);

// An access of the active lanes, which may be made on return.
void sim_wave_access(struct sim_wave *wave, const uint64_t *address, uint64_t active, uint32_t bytes,
                     enum sim_wave_operation operation, const char *site);
void sim_wave_scalar_load(struct sim_wave *wave, uint64_t address, uint32_t bytes, const char *site);
// Called now and then in loops, so that one without other steps can be stopped.
void sim_wave_pause(struct sim_wave *wave, const char *site);
void sim_wave_barrier(struct sim_wave *wave, const char *site);
// Waits until at most so many vector-memory and LDS instructions are under way.
void sim_wave_wait(struct sim_wave *wave, uint32_t vector, uint32_t shared);
void sim_wave_exchange(struct sim_wave *wave); // of values between lanes
void sim_wave_trap(const char *words, uint32_t lane, const char *site) __attribute__((noreturn));
uint64_t sim_wave_cycles(struct sim_wave *wave);
uint64_t sim_wave_nanoseconds(struct sim_wave *wave);

#endif
