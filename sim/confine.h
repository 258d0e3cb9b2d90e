// Confines this process to what simulated kernels need: no files, no network, no threads, no more memory than given.
#ifndef SIM_CONFINE_H
#define SIM_CONFINE_H

#include <stdint.h>

// Limits the compilers that this process starts: their memory, and the time that each may compute.
void sim_confine_compilers(void);

// Limits this process from now on to that many more bytes of memory, and makes most system calls raise SIGSYS. A kernel
// that makes such a call, or that runs longer than limit_s without a step, is reported with its line (block.c). The
// limits cannot be lifted. On a system without seccomp, system calls stay possible.
void sim_confine_kernels(uint64_t more_bytes, double limit_s);

// In a confined process: the next file that is opened is this one, whatever its name, because the loader opens a
// library by its name. -1: none can be opened.
void sim_confine_offer(int file);

// In a handler of SIGSYS: makes the system call fail as if it did not exist. The simulator's libraries make calls that
// they can do without.
void sim_deny_call(void *context);

#endif
