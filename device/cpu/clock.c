#include "device/cpu/clock.h"

#include <stdint.h>
#include <time.h>

enum {
    STEPS_PER_PASS = 128, // a step takes one cycle
    PASSES = 512,
    WINDOWS = 4
};

// Alternates add and xor, both from registers, because some cores execute a chain of additions of constants in the
// rename stage, which takes no time.
#if defined __x86_64__
#define CHAIN ".rept 64\n add %1, %0\n xor %1, %0\n .endr"
#elif defined __aarch64__
#define CHAIN ".rept 64\n add %0, %0, %1\n eor %0, %0, %1\n .endr"
#endif

static uint64_t run_chain(uint64_t value, uint64_t operand) {
#ifdef CHAIN
    __asm__ volatile(CHAIN : "+r"(value) : "r"(operand) : "cc");
#else
    for (int step = 0; step < STEPS_PER_PASS; step += 2) {
        value += operand;
        __asm__ volatile("" : "+r"(value)); // hides the chain from the compiler
        value ^= operand;
        __asm__ volatile("" : "+r"(value));
    }
#endif
    return value;
}

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

double cpu_clock_mhz(void) {
    uint64_t value = 1;
    double best = 0;
    for (int window = 0; window < WINDOWS;
         window++) { // an interrupt can make a window slower, but nothing makes it faster
        const double start = now_us();
        for (int pass = 0; pass < PASSES; pass++) {
            value = run_chain(value, 0x9e3779b9);
        }
        const double mhz = (double)(STEPS_PER_PASS * PASSES) / (now_us() - start);
        best = mhz > best ? mhz : best;
    }
    return best;
}
