// Counts in the compiler's assembly, by kind, the instructions that a kernel executes between two announced steps, and
// finds the accesses that a compiler may not merge with others. How many instructions of a GPU each kind is worth is
// the model's to say (count.c), because a compiled kernel may outlive the model in a cache.
#ifndef SIM_COMPILE_WEIGH_H
#define SIM_COMPILE_WEIGH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/compile/flow.h"

// The host's processor. A GPU's registers have 32 bits, and it has no divider.
enum sim_instruction {
    SIM_PLAIN,
    SIM_WIDE, // of 64 bits
    SIM_QUOTIENT,
    SIM_INSTRUCTIONS
};

// One for each call in the compiled library that announces a step (module.h: weights).
struct sim_weight {
    uintptr_t pc;                            // the call's return address
    uint32_t instructions[SIM_INSTRUCTIONS]; // from there to the next one, by kind
    uint32_t by_cluster;                     // 1: the access is by an address of a cluster's shared memory
    uint32_t pinned;                         // 1: the access is volatile, or the step is not an access
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

// Begins the same table in C, of a kernel that was translated to it: "static const struct {...} weights[] = {".
void weigh_begin_table(FILE *out);

#endif
