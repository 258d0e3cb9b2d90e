// What a line's accesses waste, the pattern behind it, and the usual cure.
#ifndef TOOLS_LANES_CURE_H
#define TOOLS_LANES_CURE_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/lanes/access.h"

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

// Adds what `more` gains to a cure which cures that, too: of the same structures or neighbours. False if it does not.
bool cure_join(struct cure *cure, const struct cure *more);

// The cure that gains most for this access; gain_ns 0: nothing is wasted.
struct cure cure_find(const struct kernel_report *report, const struct access *access);

#endif
