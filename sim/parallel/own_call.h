// System calls that the simulator makes even where a kernel may not (process.c).
#ifndef SIM_PARALLEL_OWN_CALL_H
#define SIM_PARALLEL_OWN_CALL_H

// Returns what the system returns: a negative error number if the call fails. Kernels do not see this function.
long sim_own_call(long number, long a, long b, long c, long d, long e, long f) __attribute__((visibility("hidden")));

#endif
