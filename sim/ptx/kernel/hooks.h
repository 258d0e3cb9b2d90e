// Functions of the simulator for kernels that were translated from PTX. A site stands for an instruction: sites are in
// the order of the file, and the lanes at the lowest site continue together.
#ifndef SIM_PTX_KERNEL_HOOKS_H
#define SIM_PTX_KERNEL_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_ptx_operation {
    SIM_PTX_LOAD,
    SIM_PTX_STORE,
    SIM_PTX_ATOMIC
};

// Announces an access; returns when the lane may make it.
void sim_ptx_access(uint64_t address, uint32_t bytes, enum sim_ptx_operation operation, const char *site,
                    uint32_t depth);

// Says that the next accesses, one to `from` and one to `to`, copy to shared memory.
void sim_ptx_copy(uint64_t from, uint64_t to, bool past_l1);

void sim_ptx_branch(const char *site, uint32_t depth);
// Called before a jump back, so that a loop without other steps can be stopped.
void sim_ptx_jump(const char *site, uint32_t depth);
// Waits for this many of the block's threads, or for all if threads is 0. Returns how many of them brought a value that
// is not 0.
uint32_t sim_ptx_block_barrier(uint32_t number, uint32_t threads, bool value, const char *site, uint32_t depth);
// Waits for all threads of the cluster.
void sim_ptx_cluster_barrier(const char *site, uint32_t depth);
// Orders later accesses after earlier ones, as a barrier of the block does.
void sim_ptx_order(void);
void sim_ptx_warp_barrier(uint32_t mask, const char *site, uint32_t depth);

// The lanes of a warp that meet at an instruction: the input of each, and those that have arrived.
struct sim_ptx_meeting {
    void *lane[64];
    uint64_t active;
};

typedef void sim_ptx_meet_function(const struct sim_ptx_meeting *meeting);

// Waits for the lanes of the mask, then calls meet once for all of them. counted: it is a part of an instruction whose
// access is counted by itself.
void sim_ptx_meet(sim_ptx_meet_function *meet, void *mine, uint32_t mask, bool counted, const char *site,
                  uint32_t depth);

enum sim_ptx_special {
    SIM_PTX_TID,
    SIM_PTX_NTID = SIM_PTX_TID + 3,
    SIM_PTX_CTAID = SIM_PTX_NTID + 3,
    SIM_PTX_NCTAID = SIM_PTX_CTAID + 3,
    SIM_PTX_LANEID = SIM_PTX_NCTAID + 3,
    SIM_PTX_WARPID,
    SIM_PTX_DYNAMIC_SHARED // bytes
};

// Constant while a lane runs.
uint32_t sim_ptx_special(enum sim_ptx_special which) __attribute__((const));
uint64_t sim_cycles(void);
uint64_t sim_nanoseconds(void);

// Whether the address lies in this lane's local memory.
bool sim_ptx_is_local(uint64_t address);

void sim_ptx_trap(const char *words, const char *site, uint32_t depth) __attribute__((noreturn));
void sim_ptx_exit(void) __attribute__((noreturn));

// CUDA's vprintf: the arguments are stored one after another, each aligned to its size.
int32_t sim_ptx_print(uint64_t format, uint64_t arguments);
void sim_ptx_assert_fail(uint64_t message, const char *site, uint32_t depth) __attribute__((noreturn));

#endif
