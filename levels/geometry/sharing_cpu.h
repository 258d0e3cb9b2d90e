// Two processors of this machine that chase at the same time.
#ifndef LEVELS_SHARING_CPU_H
#define LEVELS_SHARING_CPU_H

#include <stddef.h>
#include <stdint.h>

enum {
    SHARING_CPUS_MAX = 64
};

// The processors that this process may use, in ascending order; returns how many.
size_t sharing_cpus(int cpus[SHARING_CPUS_MAX]);

// One chase of a pair: where it begins, and the visits of one turn of its chain.
struct sharing_chase {
    int cpu;
    uint64_t at, turn;
    uint64_t end; // filled in: where it was after three turns
};

// Nanoseconds per step of the first chase, while the other one (NULL: none) goes on. Both go round twice before.
// Returns a negative number if the system does not let the threads run where they must.
double sharing_time(struct sharing_chase *chase, const struct sharing_chase *other);

#endif
