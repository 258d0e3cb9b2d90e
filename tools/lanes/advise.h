// Tries a cure: runs the kernel again as if its data lay elsewhere, and says what the launch is predicted to take then.
// What a line's accesses waste, the pattern behind it, and the usual cure.
// Says which lines of a kernel waste most, why, and the usual cure.
#ifndef TOOLS_LANES_ADVISE_H
#define TOOLS_LANES_ADVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/lanes/access.h"
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

enum {
    CURE_TEXT = 512
};

struct cure {
    const struct access *access;
    enum {
        CURE_OTHER,
        CURE_TILE,    // another layout of an array in shared memory
        CURE_STRUCTS, // a structure of arrays in global memory
        CURE_REUSE,   // shared memory for what neighbours load, too
    } kind;
    uint64_t stride_bytes; // from lane to lane, of CURE_TILE and CURE_STRUCTS
    char others[64];       // further lines that need the same: ", 12, 13"
    uint32_t last;         // of them
    bool both;             // they load and store
    char unit[16];         // of what is wasted: "passes", "sectors", ...
    double all, wasted;    // of them
    double gain_ns;        // that the launch is predicted to take less
    double share;          // of the predicted time, that the accesses take
    char text[CURE_TEXT];  // the pattern and the cure
};

// The worst three lines of each GPU, whose cures are tried where that is possible. kernel: what the reports are of.
void advise_print(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *reports, size_t count);

#endif
