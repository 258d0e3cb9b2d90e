// A kernel of the user's on the simulator: what each of its lines asks of the memory system.
#ifndef LANES_KERNEL_H
#define LANES_KERNEL_H

#include "device/sim/sim.h"
#include "util/options.h"

struct kernel_run {
    const char *path, *entry; // entry NULL: the file's only kernel
    struct dimensions grid, block;
    uint64_t shared_bytes; // dynamic
    struct option_list values, constants;
    double max_time_s;
    uint64_t simulated_blocks; // of the grid; 0: all
};

// What one GPU says of the last launch. Keep until shown: lines name files that live as long as the kernel.
struct kernel_report {
    const struct gpu *gpu;
    struct device *device;
    struct kernel *kernel;
    struct launch_counts counts;
    struct sim_line *lines;
    size_t line_count;
};

// The whole file as a string; free it. USAGE if it can't be read.
enum status kernel_read(const char *path, char **text, struct error *error);

// Runs the kernel; on failure the report is empty, the error has the compiler's log or the line at fault.
enum status kernel_launch(const struct kernel_run *run, const char *text, const struct gpu *gpu,
                          struct kernel_report *report, struct error *error);
void kernel_report_clear(struct kernel_report *report);

#endif
