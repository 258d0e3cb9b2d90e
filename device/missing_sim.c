// Replaces the simulator's functions that lanes calls, in a build without the simulator. No simulated device opens
// there.
#include "device/sim/confine.h"
#include "device/sim/lines.h"
#include "device/sim/sim.h"

const char *sim_kernel_name(const struct kernel *kernel) {
    (void)kernel;
    return "";
}

const char *sim_kernel_note(const struct kernel *kernel) {
    (void)kernel;
    return NULL;
}

const char *sim_argument_name(const struct kernel *kernel, size_t i) {
    (void)kernel, (void)i;
    return NULL;
}

void sim_set_time_limit(struct device *device, double seconds) {
    (void)device, (void)seconds;
}

enum status sim_lines(struct device *device, struct sim_line **lines, size_t *count, struct error *error) {
    (void)device, (void)lines, (void)count;
    return error_set(error, STATUS_NO_DEVICE, "sim was left out when this program was built");
}

void sim_prefer_ptx_lines(struct device *device) {
    (void)device;
}

uint64_t sim_thread_bytes(const struct device *device) {
    (void)device;
    return 0;
}

void sim_confine_compilers(void) {}

void sim_confine_kernels(uint64_t more_bytes, double limit_s) {
    (void)more_bytes, (void)limit_s;
}
