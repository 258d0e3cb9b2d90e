// What a line's accesses waste, the pattern behind it, and the usual cure.
#ifndef LANES_CURE_H
#define LANES_CURE_H

#include <stddef.h>

#include "lanes/access.h"

enum {
    CURE_TEXT = 512
};

struct cure {
    const struct access *access;
    char unit[16];        // of what is wasted: "passes", "sectors", ...
    double all, wasted;   // of them
    double gain_ns;       // that the launch is predicted to take less
    char text[CURE_TEXT]; // the pattern and the cure
};

// The cure that gains most for this access; gain_ns 0: nothing is wasted.
struct cure cure_find(const struct kernel_report *report, const struct access *access);

#endif
