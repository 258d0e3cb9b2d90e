// Compiles a kernel to AMDGPU assembly, so that the simulator runs the code of AMD's compiler.
#ifndef SIM_COMPILE_VIA_AMDGCN_H
#define SIM_COMPILE_VIA_AMDGCN_H

#include "device/device.h"
#include "sim/compile/gpu_text.h"

// Uses the newest clang that is found and knows AMD's GPUs. The caller clears *text. Returns STATUS_NO_DEVICE if there
// is none.
enum status sim_compile_to_amdgcn(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *text,
                                  struct error *error);

#endif
