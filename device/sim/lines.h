// The counts of the last launch by the lines of the kernel's source.
#ifndef DEVICE_SIM_LINES_H
#define DEVICE_SIM_LINES_H

#include "device/device.h"
#include "model/request.h"

enum {
    LINE_KINDS = 4
};

// The counts of one line of a kernel's source in the last launch, over the whole grid.
struct sim_line {
    const char *file; // the name in kernel_source
    uint32_t number;
    struct launch_counts counts;
    // Its costliest request of each kind, in the order of LAUNCH_MEMORIES: addresses from the start of the buffer, or
    // of the block's shared memory. No active lane: there was none.
    struct request costliest[LINE_KINDS];
};

// The lines of the last launch, sorted by file and number. The caller frees *lines; the file names live as long as the
// device.
enum status sim_lines(struct device *device, struct sim_line **lines, size_t *count, struct error *error);

// From now on the lines of the last launch's kernel are those of its PTX, not of the source that .loc names.
void sim_prefer_ptx_lines(struct device *device);

#endif
