// Finds out whether a kernel's lanes may pass branches and barriers without waiting for other lanes (lane.h).
#ifndef SIM_COMPILE_AHEAD_H
#define SIM_COMPILE_AHEAD_H

#include <stdbool.h>

// Whether the assembly calls only its own functions and the simulator's hooks. Others may have effects that depend on
// the order in which lanes call them, as printf has.
bool sim_may_run_ahead(const char *assembly);

#endif
