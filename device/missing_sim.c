// Where the simulator was left out of the build, its row among the backends.
#include "device/backends.h"

#ifndef HAVE_SIM

#define GPU_BACKEND "sim"
#define GPU_OPERATIONS sim_backend
#define GPU_HEADER "elfutils' libdwfl.h and libffi's ffi.h"
#include "device/missing_backend.inc.h"

#include "device/sim/sim.h"

// Never reached with a device: none opens.
void sim_set_time_limit(double seconds) {
    (void)seconds;
}

enum status sim_lines(struct device *device, struct sim_line **lines, size_t *count, struct error *error) {
    (void)device, (void)lines, (void)count;
    return left_out(error);
}

#endif
