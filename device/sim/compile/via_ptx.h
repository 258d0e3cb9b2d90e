// Compiles a kernel to PTX, so that the simulator runs the code of NVIDIA's compiler.
#ifndef DEVICE_SIM_COMPILE_VIA_PTX_H
#define DEVICE_SIM_COMPILE_VIA_PTX_H

#include "device/device.h"

// bankshot's kernels are compiled by NVRTC; a user's kernel by nvcc if it is found, because nvcc has all of CUDA's
// headers, otherwise by NVRTC. The caller frees *ptx. Returns STATUS_NO_DEVICE if there is no compiler.
enum status sim_compile_to_ptx(const struct kernel_request *request, const struct gpu *gpu, char **ptx,
                               struct error *error);

#endif
