// What a kernel executes between two announcements, told from the compiler's assembly: about how many instructions of a
// GPU that is, and which accesses a compiler may not merge with others.
#ifndef DEVICE_SIM_COMPILE_WEIGH_H
#define DEVICE_SIM_COMPILE_WEIGH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// In the compiled library, one for each call that announces a step (module.h: sites).
struct sim_weight {
    uintptr_t pc;          // behind the call
    uint32_t instructions; // from there to the next one
    uint32_t pinned;       // 1: the access is volatile, or no access
};

struct weigher {
    struct sim_weight *weights; // pc: not known yet
    size_t count;
};

// Takes the next line of assembly, and writes what belongs behind it.
void weigh_line(struct weigher *weigher, const char *line, size_t length, FILE *out);

// Ends the file with the table.
void weigh_end(struct weigher *weigher, FILE *out);

#endif
