// Confines this process to what simulated kernels need: no files, no network, no threads, no more memory than given.
#ifndef DEVICE_SIM_CONFINE_H
#define DEVICE_SIM_CONFINE_H

#include <stdint.h>

// Limits the compilers that this process starts: their memory, and the time that each may compute.
void sim_confine_compilers(void);

// From now on this process may have so many bytes of memory more, and most system calls raise SIGSYS; a kernel that
// makes one, or that runs longer than limit_s without a step, is reported with its line (fault.c). There is no way
// back. Where the system has no seccomp, system calls are possible.
void sim_confine_kernels(uint64_t more_bytes, double limit_s);

// In a handler of SIGSYS: lets the system call fail as one that does not exist. The simulator's own libraries make
// calls that they can do without.
void sim_deny_call(void *context);

#endif
