// Which headers a kernel's file may include on the simulator.
#ifndef DEVICE_SIM_COMPILE_CXX_HEADERS_H
#define DEVICE_SIM_COMPILE_CXX_HEADERS_H

#include <stdbool.h>

#include "device/sim/compile/cxx/lexer.h"

// The compiler that gets the file: the host's, or NVIDIA's run-time compiler, which has CUDA's headers but none of
// C++'s.
enum cxx_target {
    CXX_FOR_HOST,
    CXX_FOR_NVRTC
};

// Whether the directive includes a header that kernels do not need: the host's libraries, and files that are not next
// to the kernel's.
bool cxx_header_is_passed_over(const struct token *directive, const char *file_name, enum cxx_target target);

// The path of the file beside the kernel's that the directive includes; false if it is another directive, or the file
// is not there.
bool cxx_header_beside(const struct token *directive, const char *file_name, char *path, size_t size);

// Finds the first header of a library for kernels that the text includes and that is passed over; false if there is
// none.
bool cxx_library_passed_over(const char *file_name, const char *text, char *name, size_t size);

#endif
