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

#endif
