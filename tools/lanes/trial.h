// Tries a cure: runs the kernel again as if its data lay elsewhere, and says what the launch is predicted to take then.
#ifndef TOOLS_LANES_TRIAL_H
#define TOOLS_LANES_TRIAL_H

#include "tools/lanes/cure.h"
#include "tools/lanes/kernel.h"

enum {
    TRIALS_MAX = 2,
    TRIAL_TEXT = 320
};

// What can be run again.
struct trial_kernel {
    const struct kernel_run *run;
    char *const *texts;
    size_t launch; // whose report holds the cure
};

struct trial {
    char text[TRIAL_TEXT]; // what was tried: "padding 1: index = row * 33 + column"
    double predicted_ns;
};

// Returns the number of trials: 0 where the cure is none that moves data. What cannot be tried is left out.
size_t trial_run(const struct trial_kernel *kernel, const struct kernel_report *report, const struct cure *cure,
                 struct trial trials[TRIALS_MAX]);

#endif
