// Prepares CUDA C++ files for the host's compiler.
#ifndef DEVICE_SIM_COMPILE_CXX_SELECT_H
#define DEVICE_SIM_COMPILE_CXX_SELECT_H

#include "device/sim/compile/cxx/headers.h"
#include "util/error.h"

struct cxx_selection {
    char *text;  // the file's text, reduced to what the kernel needs; lines and columns are kept
    char *entry; // the kernel as an expression: space::name<int>
};

// Selects the kernel of this name, or the file's only one if entry is NULL, and everything that it mentions, directly
// or not. Host functions and libraries' headers are blanked out. STATUS_USAGE if the file has no such kernel;
// STATUS_FAILED, with the line, if the simulator cannot run something that it mentions, which is not checked for NVRTC.
// The caller frees both texts.
enum status cxx_select(const char *file_name, const char *text, const char *entry, enum cxx_target target,
                       struct cxx_selection *selection, struct error *error);

#endif
