// What the simulator can tell beyond the common operations of a device: used by lanes.
#ifndef DEVICE_SIM_SIM_H
#define DEVICE_SIM_SIM_H

#include "device/device.h"

// Limits the real time of each later launch; a launch that takes longer fails. 0: no limit.
void sim_set_time_limit(struct device *device, double seconds);

// What one line of a kernel's source asked for in the last launch, over the whole grid.
struct sim_line {
    const char *file; // as the kernel_source names it
    uint32_t number;
    struct launch_counts counts;
};

// The lines of the last launch, by file and number. *lines is to be freed; the file names live as long as the device.
enum status sim_lines(struct device *device, struct sim_line **lines, size_t *count, struct error *error);

// A kernel's name: of use where the request left the entry NULL, for a file that has only one.
const char *sim_kernel_name(const struct kernel *kernel);

#endif
