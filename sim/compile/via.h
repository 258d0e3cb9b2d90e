// Compiles a kernel to PTX, so that the simulator runs the code of NVIDIA's compiler.
#ifndef SIM_COMPILE_VIA_H
#define SIM_COMPILE_VIA_H

#include "device/device.h"
#include "sim/compile/gpu_text.h"

// bankshot's kernels are compiled by NVRTC; a user's kernel by NVRTC, nvcc or clang, the first that understands it. The
// caller clears *ptx. Returns STATUS_NO_DEVICE if there is no compiler.
enum status sim_compile_to_ptx(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *ptx,
                               struct error *error);

// Compiles a kernel to AMDGPU assembly, so that the simulator runs the code of AMD's compiler.

// Uses the newest clang that is found and knows AMD's GPUs. The caller clears *text. Returns STATUS_NO_DEVICE if there
// is none.
enum status sim_compile_to_amdgcn(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *text,
                                  struct error *error);

// The name and version of the compiler that makes such instructions of bankshot's kernels; empty for VIA_C, and if
// there is none.
void sim_via_compiler(enum device_via via, char *text, size_t size);

#endif
