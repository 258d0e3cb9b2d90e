// Two chases at the same time on two processors of this machine.
#ifndef LEVELS_SHARING_CPU_H
#define LEVELS_SHARING_CPU_H

#include <stddef.h>
#include <stdint.h>

enum {
    SHARING_CPUS_MAX = 64
};

// The processors that this process may use, in ascending order; returns their number.
size_t sharing_cpus(int cpus[SHARING_CPUS_MAX]);

// One chase of a pair: its start, and the visits of one turn of its chain.
struct sharing_chase {
    int cpu;
    uint64_t at, turn;
    uint64_t end; // output: the position after three turns
};

// Nanoseconds per step of the first chase while the other one (NULL: none) runs. Both do two turns before. Returns a
// negative number if the system does not let the threads run on their processors.
double sharing_time(struct sharing_chase *chase, const struct sharing_chase *other);

#endif
