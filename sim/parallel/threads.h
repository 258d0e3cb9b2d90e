// How many blocks of a launch the simulator runs side by side.
#ifndef SIM_PARALLEL_THREADS_H
#define SIM_PARALLEL_THREADS_H

#include <stdint.h>

#include "util/error.h"

struct sim_threads {
    uint32_t count;
    double least_s; // a launch that takes less runs on one thread, because starting workers takes time, too
};

// Why launches of a compiled file run on one thread, which an earlier one has shown.
struct sim_setback {
    const char *why; // NULL: none has
    double until_s;  // processor time of this process; infinite: for good
};

// What the variable BANKSHOT_SIM_THREADS says, COUNT or COUNT,MILLISECONDS, or else the processors that this process
// may use: by its affinity, and by the limit of its control group. STATUS_USAGE if the variable says something else.
enum status sim_threads_find(struct sim_threads *threads, struct error *error);

#endif
