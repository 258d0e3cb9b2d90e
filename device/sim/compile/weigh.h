// Estimates from the compiler's assembly how many GPU instructions a kernel executes between two announced steps, and
// finds the accesses that a compiler may not merge with others.
#ifndef DEVICE_SIM_COMPILE_WEIGH_H
#define DEVICE_SIM_COMPILE_WEIGH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "device/sim/compile/flow.h"

// One for each call in the compiled library that announces a step (module.h: weights).
struct sim_weight {
    uintptr_t pc;          // the call's return address
    uint32_t instructions; // from there to the next one
    uint32_t pinned;       // 1: the access is volatile, or the step is not an access
    struct flow_needs needs;
};

struct weigher {
    struct sim_weight *weights; // without pc, which only the linker knows
    size_t count;
    bool failed; // memory ran out
};

// Takes the next line of assembly, and writes the labels that follow it.
void weigh_line(struct weigher *weigher, const char *line, size_t length, FILE *out);

// Writes the table at the end of the file. `written` is the assembly so far. Returns false if memory was short; then
// the file is unusable.
bool weigh_end(struct weigher *weigher, const char *written, FILE *out);

#endif
