// The simulator's operations beyond those of every device; lanes uses them.
#ifndef DEVICE_SIM_SIM_H
#define DEVICE_SIM_SIM_H

#include "device/device.h"

// Limits the real time of each later launch; a launch that takes longer fails. 0: no limit.
void sim_set_time_limit(struct device *device, double seconds);

// The counts of one line of a kernel's source in the last launch, over the whole grid.
struct sim_line {
    const char *file; // the name in kernel_source
    uint32_t number;
    struct launch_counts counts;
};

// The lines of the last launch, sorted by file and number. The caller frees *lines; the file names live as long as the
// device.
enum status sim_lines(struct device *device, struct sim_line **lines, size_t *count, struct error *error);

// From now on the lines of the last launch's kernel are those of its PTX, not of the source that .loc names.
void sim_prefer_ptx_lines(struct device *device);

// A kernel's name, even if the request named no entry because the file has only one kernel.
const char *sim_kernel_name(const struct kernel *kernel);

#endif
