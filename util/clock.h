// Time on this machine.
#ifndef UTIL_CLOCK_H
#define UTIL_CLOCK_H

#include <time.h>

// Nanoseconds since an arbitrary moment. The raw clock is not slewed, so that every second has the same length.
static inline double clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

// Seconds, for deadlines and progress.
static inline double clock_s(void) {
    return clock_ns() * 1e-9;
}

// Processor time of this process in seconds. It stands still while other processes have the processors.
static inline double clock_processor_s(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

#endif
