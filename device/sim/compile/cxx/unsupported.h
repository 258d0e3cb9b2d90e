// Finds the parts of CUDA C++ that the simulator cannot run, before the compiler does.
#ifndef DEVICE_SIM_COMPILE_CXX_UNSUPPORTED_H
#define DEVICE_SIM_COMPILE_CXX_UNSUPPORTED_H

#include "device/sim/compile/cxx/lexer.h"

// Why the token at this index cannot be used, and what to do instead; NULL if it can.
const char *cxx_unsupported(const struct tokens *tokens, size_t at);

#endif
