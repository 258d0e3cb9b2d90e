// Compiles a kernel to PTX, so that the simulator runs what NVIDIA's compiler made of it.
#ifndef DEVICE_SIM_COMPILE_VIA_PTX_H
#define DEVICE_SIM_COMPILE_VIA_PTX_H

#include "device/device.h"

// bankshot's own kernels by NVRTC; a user's by nvcc if it is found, since it knows all of CUDA's headers, else by
// NVRTC. The caller frees *ptx. STATUS_NO_DEVICE if there is no compiler.
enum status sim_compile_to_ptx(const struct kernel_request *request, const struct gpu *gpu, char **ptx,
                               struct error *error);

#endif
