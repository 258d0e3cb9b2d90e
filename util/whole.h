// Whole numbers: the smaller and the larger of two, and division that rounds up.
#ifndef UTIL_WHOLE_H
#define UTIL_WHOLE_H

#include <stdint.h>

static inline uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static inline uint64_t divide_up(uint64_t number, uint64_t by) {
    return number / by + (number % by != 0);
}

// The least multiple of the unit that is no less.
static inline uint64_t round_up(uint64_t number, uint64_t unit) {
    return divide_up(number, unit) * unit;
}

#endif
