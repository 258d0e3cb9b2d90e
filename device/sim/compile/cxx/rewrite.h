// Writes the parts of a CUDA C++ file that a kernel needs.
#ifndef DEVICE_SIM_COMPILE_CXX_REWRITE_H
#define DEVICE_SIM_COMPILE_CXX_REWRITE_H

#include "device/sim/compile/cxx/headers.h"
#include "device/sim/compile/cxx/items.h"

// Returns the text with the items that are not kept, and libraries' headers, blanked out. For the host's compiler,
// shared and constant memory are written in its way. Lines are kept. The caller frees the text; NULL if memory runs
// out.
char *cxx_rewrite(const struct items *items, const char *file_name, const char *text, enum cxx_target target);

#endif
