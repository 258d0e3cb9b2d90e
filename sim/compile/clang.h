// Compiles a kernel to a GPU's instructions, as text, with clang alone: no part of CUDA or ROCm is needed.
#ifndef SIM_COMPILE_CLANG_H
#define SIM_COMPILE_CLANG_H

#include "device/device.h"
#include "sim/compile/gpu_text.h"
#include "sim/compile/user/compile.h"

// Sets *text, which the caller clears: PTX or AMDGPU assembly, by the GPU's vendor. STATUS_NO_DEVICE if there is no
// clang that can do it. The request's text is compiled as it is.
enum status sim_clang_compile(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *text,
                              struct error *error);

// The same of a user's file.
enum status sim_clang_compile_user(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *text,
                                   struct error *error);

#endif
