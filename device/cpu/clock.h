// The measured clock of this core, because processors change it on their own and performance counters are often
// forbidden.
#ifndef DEVICE_CPU_CLOCK_H
#define DEVICE_CPU_CLOCK_H

// MHz of the calling thread's core, from about 100 us of dependent one-cycle instructions.
double cpu_clock_mhz(void);

#endif
