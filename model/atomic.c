#include "model/atomic.h"

#include <math.h>

#include "model/gpu_limits.h"
#include "model/time_constants.h"

uint32_t atomic_slices(const struct gpu *gpu) {
    const double slices = gpu_l2_bytes_per_clock(gpu) / time_constants.slice_bytes;
    return slices > 1 ? (uint32_t)slices : 1;
}

double atomic_turns(bool floating) {
    return floating ? time_constants.float_turns : 1;
}

double atomic_slice_bytes(uint32_t width_bytes, bool floating) {
    return width_bytes * (floating && width_bytes == 8 ? time_constants.wide_float_share : 1);
}

// An H200 takes for 16777216 additions of int32 and float32 12.27 and 29.45 ms on one address, and 1.234 and 0.617 ms
// for int32 on 256 and 512 bytes.
double atomic_clocks(double turns, double slice_bytes) {
    return fmax(turns * time_constants.turn_clocks, slice_bytes * time_constants.byte_clocks);
}
