// Compiles a user's CUDA C++ file, in which the host's part of the program may stand, for a GPU.
#ifndef SIM_COMPILE_USER_COMPILE_H
#define SIM_COMPILE_USER_COMPILE_H

#include "device/device.h"
#include "sim/compile/user/source.h"

// What a compiler makes of a kernel for a GPU.
struct gpu_text {
    char *instructions; // PTX or AMDGPU assembly
    char *parameters;   // the names of the kernel's parameters, with commas between; NULL: not known
};

struct user_compiler {
    struct user_headers headers;
    const char *before;      // what the text needs in front of it; NULL: nothing
    const char *instantiate; // a declaration that makes code of a kernel that nothing calls; %s stands for its name
    // Sets *code, which the caller frees. STATUS_FAILED with the compiler's log, STATUS_NO_DEVICE if it is not here.
    enum status (*compile)(const struct user_compiler *compiler, const char *text, char **code, struct error *error);
    // For `compile`.
    const struct kernel_request *request;
    const struct gpu *gpu;
    const char *program; // its path
};

// Compiles the request's file. What the compiler does not understand, but the kernel does not need, such as main and
// other kernels, is left out. The caller clears *code.
enum status user_compile(const struct user_compiler *compiler, struct gpu_text *code, struct error *error);

#endif
