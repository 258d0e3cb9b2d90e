// Finds in the compiled assembly which loads a value comes from, so that the model knows what a warp waits for, and the
// loops that a GPU's compiler unrolls.
#ifndef SIM_COMPILE_FLOW_H
#define SIM_COMPILE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The loads that a step depends on. Bit N % 64 stands for the load of site N.
struct flow_needs {
    uint64_t address; // whose values the step's address comes from
    uint64_t jump;    // whose values decide a jump between this step and the next
    uint64_t used;    // whose values instructions before that jump use
    bool returned;    // an atomic's: whether the kernel uses the value that it returns
    uint8_t loop;     // enum loop_kind of the step's innermost loop
};

// Sets needs[N] of each site N, whose label ".Lbankshot_siteN:" follows the call that announces it (weigh.h). False if
// memory runs out.
bool flow_find(const char *assembly, struct flow_needs *needs, size_t sites);

enum loop_kind {
    LOOP_NONE,        // of which the compiler cannot count the rounds
    LOOP_UNROLLED,    // one that ends by a comparison with what only constants are added to
    LOOP_WITH_STORES, // the same, whose loads stay behind the stores of earlier rounds unless the compiler can tell the
                      // memory apart
};

// Sets kinds[N] to the kind of site N's innermost loop (weigh.h). False if memory runs out.
bool loops_find(const char *assembly, enum loop_kind *kinds, size_t sites);

#endif
