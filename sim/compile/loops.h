// Finds the loops in the compiled assembly that a GPU's compiler unrolls.
#ifndef SIM_COMPILE_LOOPS_H
#define SIM_COMPILE_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

enum loop_kind {
    LOOP_NONE,        // of which the compiler cannot count the rounds
    LOOP_UNROLLED,    // one that ends by a comparison with what only constants are added to
    LOOP_WITH_STORES, // the same, whose loads stay behind the stores of earlier rounds unless the compiler can tell the
                      // memory apart
};

// Sets kinds[N] to the kind of site N's innermost loop (weigh.h). False if memory runs out.
bool loops_find(const char *assembly, enum loop_kind *kinds, size_t sites);

#endif
