#include "model/atomic.h"

#include "model/gpu_limits.h"
#include "model/time/time_constants.h"

uint32_t atomic_slices(const struct gpu *gpu) {
    const double slices = gpu_l2_bytes_per_clock(gpu) / gpu_slice_bytes(gpu);
    return slices > 1 ? (uint32_t)slices : 1;
}

// An H200 takes for 16777216 additions of int32 and float32 12.27 and 29.45 ms on one address, and 1.234 and 0.617 ms
// for int32 on 256 and 512 bytes.
double atomic_address_clocks(const struct atomic_work *work) {
    return work->turns * time_constants.turn_clocks * (work->float_bytes > 0 ? time_constants.float_turns : 1);
}

double atomic_slice_clocks(const struct atomic_work *work) {
    const double times = work->float_bytes == sizeof(double) ? time_constants.wide_float_share : 1;
    return work->slice_bytes * time_constants.byte_clocks * times;
}
