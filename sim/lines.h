// The counts of the last launch by the lines of the kernel's source.
#ifndef SIM_LINES_H
#define SIM_LINES_H

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
    // That the costliest load and store of global memory access: its device address, which is the same in every run.
    struct sim_line_buffer {
        uint64_t address, bytes; // bytes 0: unknown
    } buffer[2];
};

// The lines of the last launch, sorted by file and number. The caller frees *lines; the file names live as long as the
// device.
enum status sim_lines(struct device *device, struct sim_line **lines, size_t *count, struct error *error);

// From now on the lines of the last launch's kernel are those of its PTX or assembly, not of the source that .loc
// names.
void sim_prefer_own_lines(struct device *device);

#endif
