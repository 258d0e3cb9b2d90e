#include "apsp/solve/cpu_solver.h"

#include "apsp/solve/cpu_vector.h"

#define PAIR(vectors, isa) [vectors] = {#isa, &solver_##isa##_32, &solver_##isa##_16},
static const struct solver_pair pairs[] = {CPU_VECTORS_BUILT(PAIR)};

const struct solver_pair *solver_pair(size_t index) {
    for (size_t vectors = cpu_vectors() + 1; vectors-- > 0;) {
        if (pairs[vectors].name && index-- == 0) {
            return &pairs[vectors];
        }
    }
    return NULL;
}

const struct solver *solver_of(size_t width_bytes) {
    const struct solver_pair *best = solver_pair(0);
    return width_bytes == sizeof(uint16_t) ? best->of_16 : best->of_32;
}
