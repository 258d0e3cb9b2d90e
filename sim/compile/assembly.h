// The assembly that a host's compiler makes of a kernel: its lines, the loads that a value comes from, and the
// instructions between two steps.
#ifndef SIM_COMPILE_ASSEMBLY_H
#define SIM_COMPILE_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---- Instructions, their operands, and the places that these name ----

// The register of a function's first argument.
#if defined(__aarch64__)
enum {
    ASSEMBLY_ARGUMENT = 0
};
#else
enum {
    ASSEMBLY_ARGUMENT = 5 // %rdi
};
#endif

struct text {
    const char *begin;
    size_t length;
};

// Whether the text begins with one of the words, which end with NULL.
bool text_begins_with(struct text text, const char *const *words);

// The name of what a line calls; empty: it calls nothing.
struct text line_called(struct text line);

// ---- The loads that a value comes from, and loops ----

// Finds in the compiled assembly which loads a value comes from, so that the model knows what a warp waits for, and the
// loops that a GPU's compiler unrolls.

// The loads that a step depends on. Bit N % 64 stands for the load of site N.
struct flow_needs {
    uint64_t address; // whose values the step's address comes from
    uint64_t jump;    // whose values decide a jump between this step and the next
    uint64_t used;    // whose values instructions before that jump use
    bool returned;    // an atomic's: whether the kernel uses the value that it returns
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

struct weigher {
    struct sim_weight *weights; // without pc, which only the linker knows
    size_t count;
};

// Takes the next line of assembly, and writes the labels that follow it.
void weigh_line(struct weigher *weigher, const char *line, size_t length, FILE *out);

// Writes the table at the end of the file. `written` is the assembly so far.
void weigh_end(struct weigher *weigher, const char *written, FILE *out);

#endif
