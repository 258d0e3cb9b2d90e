// The tile of a solution with register_tiled.cu if the user names none.
#ifndef APSP_SOLVE_GPU_TILE_H
#define APSP_SOLVE_GPU_TILE_H

#include "device/device.h"

// A distance has this many bits. The matrix is divided between a grid of this many rows and columns of devices.
uint32_t apsp_gpu_tile(const struct device_info *info, uint64_t vertices, uint32_t bits, uint64_t rows,
                       uint64_t columns);

#endif
