// The assembly that a host's compiler makes of a kernel: the simulator's changes to it, the loads that a value comes
// from, and the instructions between two steps.
#ifndef SIM_COMPILE_ASSEMBLY_H
#define SIM_COMPILE_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- The loads that a value comes from, and loops ----

// Finds in the compiled assembly which loads a value comes from, so that the model knows what a warp waits for, and the
// loops that a GPU's compiler unrolls.

// The loads that a step depends on. Bit N % 64 stands for the load of site N.
struct flow_needs {
    uint64_t address; // whose values the step's address comes from
    uint64_t jump;    // whose values decide a jump between this step and the next
    uint64_t used;    // whose values instructions before that jump use
    bool returned;    // an atomic's: whether the kernel uses the value that it returns
    bool updates;     // a load: of the value with which a compiler's loop for an atomic begins
    uint8_t loop;     // enum loop_kind of the step's innermost loop
};

enum loop_kind {
    LOOP_NONE,        // of which the compiler cannot count the rounds
    LOOP_UNROLLED,    // one that ends by a comparison with what only constants are added to
    LOOP_WITH_STORES, // the same, whose loads stay behind the stores of earlier rounds unless the compiler can tell the
                      // memory apart
};

// ---- Instructions between two announced steps ----

// Counts in the compiler's assembly, by kind, the instructions that a kernel executes between two announced steps, and
// finds the accesses that a compiler may not merge with others. How many instructions of a GPU each kind is worth is
// the model's to say (count.c), because a compiled kernel may outlive the model in a cache.

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
    uint32_t pinned;                         // 1: the access is volatile, or the step is not an access
    struct flow_needs needs;
    uint64_t unused; // fills 64 bytes
};

// The kernel's variables follow the table. With rows of another size, its length would decide where in a line they
// begin, and so how many lines a warp touches.
_Static_assert(sizeof(struct sim_weight) == 64, "a row is as long as the lines of memory");

// Returns the compiler's assembly with three changes, and the table of the weights behind it. Where a basic block ends
// in a conditional or computed jump, the call that announces the block becomes a call of sim_branch. An empty loop,
// which has no announced block, gets such a call. Unused bytes surround the variables in shared memory, so that an
// overrun reaches no other variable. Handles x86-64 and aarch64. The caller frees the text.
char *sim_assembly_text(const char *assembly);

#endif
