// Which loads the steps of a translated function depend on, so that the model knows what a warp waits for.
#ifndef SIM_PTX_FLOW_H
#define SIM_PTX_FLOW_H

#include "sim/ptx/writer.h"

// Sets what the function's sites need, after it has been written.
void ptx_find_needs(struct ptx_writer *writer, const struct ptx_function *function);

#endif
