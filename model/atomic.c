#include "model/atomic.h"

#include <math.h>

#include "model/gpu_limits.h"

// Measured on an H200 with 16777216 additions (gmem --variant atomic-add,atomic-add-float, int32 and float32): 12.27
// and 29.45 ms on one address; 1.234 ms on 256 bytes and 0.617 ms on 512. float64 takes twice as long on 128 bytes as
// int64. Other parts' rates are a guess.
static const double turn_clocks = 1.449, float_turns = 2.4, byte_clocks = 0.0364;

uint32_t atomic_slices(const struct gpu *gpu) {
    enum {
        SLICE_BYTES = 64
    };
    const double slices = gpu_l2_bytes_per_clock(gpu) / (double)SLICE_BYTES;
    return slices > 1 ? (uint32_t)slices : 1;
}

double atomic_turns(bool floating) {
    return floating ? float_turns : 1;
}

double atomic_slice_bytes(uint32_t width_bytes, bool floating) {
    return width_bytes * (floating && width_bytes == 8 ? 2 : 1);
}

double atomic_clocks(double turns, double slice_bytes) {
    return fmax(turns * turn_clocks, slice_bytes * byte_clocks);
}
