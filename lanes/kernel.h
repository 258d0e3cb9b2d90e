// Runs a user's kernel on the simulator, and finds the cost of each of its lines.
#ifndef LANES_KERNEL_H
#define LANES_KERNEL_H

#include "device/sim/lines.h"
#include "util/options.h"

struct kernel_run {
    const char *path, *entry; // entry NULL: the file's only kernel
    const char *ptx;          // the path again where the file is PTX; else NULL
    const char *via;          // "ptx": run what NVIDIA's compiler makes of it; NULL: as C or C++
    struct dimensions grid, block;
    uint64_t shared_bytes; // dynamic
    struct option_list values, constants;
    double max_time_s;
    uint64_t simulated_blocks; // of the grid; 0: all
};

// Lines with their counts, and the names of their files, which the lines point to.
struct line_list {
    struct sim_line *lines;
    size_t count;
    char *names;
};

// The result on one GPU.
struct kernel_report {
    const struct gpu *gpu;
    double blocks; // of the grid
    struct launch_counts counts;
    char predicted_by[32];         // what counts.predicted_by points to
    struct line_list source_lines; // of the CUDA source
    struct line_list ptx_lines;    // of the PTX that ran; empty where none did
    const struct sim_line *lines;  // the list that is shown
    size_t line_count;
};

// Reads the whole file into a string, which the caller frees. STATUS_USAGE if it cannot be read.
enum status kernel_read(const char *path, char **text, struct error *error);

// Runs the kernel in a process of its own. On failure the report is empty, and the error holds the compiler's log or
// the line at fault.
enum status kernel_launch(const struct kernel_run *run, const char *text, const struct gpu *gpu,
                          struct kernel_report *report, struct error *error);

// Shows the lines of the PTX, where its source cannot be shown.
void kernel_show_ptx(struct kernel_report *report);
void kernel_report_clear(struct kernel_report *report);

#endif
