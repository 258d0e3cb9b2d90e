// The result of a launch, and its way from the process that ran the kernel to the one that shows it.
#ifndef LANES_KERNEL_REPORT_H
#define LANES_KERNEL_REPORT_H

#include <stdio.h>

#include "device/device.h"
#include "sim/lines.h"
#include "sim/records.h"

// Lines with their counts, and the names of their files, which the lines point to.
struct line_list {
    struct sim_line *lines;
    size_t count;
    char *names;
};

struct record_list {
    struct sim_recorded *list; // without `file`
    size_t count;
};

enum {
    KERNEL_NAME = 128
};

// The result of a launch on one GPU. It points into itself, so it must stay where it is.
struct kernel_report {
    const struct gpu *gpu;
    char kernel[KERNEL_NAME];
    struct launch_counts counts;
    char predicted_by[32];         // what counts.predicted_by points to
    struct line_list source_lines; // of the CUDA source
    struct line_list ptx_lines;    // of the PTX that ran; empty where none did
    struct record_list records;    // of a run that records
    const struct sim_line *lines;  // the list that is shown
    size_t line_count;
};

// Shows the lines of the PTX, where its source cannot be shown.
void kernel_show_ptx(struct kernel_report *report);
void kernel_report_clear(struct kernel_report *report);

// Writes the report, or the error if status is not STATUS_OK.
void report_send(FILE *file, enum status status, const struct kernel_report *report, const struct error *error);

// Reads what report_send wrote, and moves *bytes past it. The kernel may have overwritten it, so everything is checked.
enum status report_receive(const char **bytes, size_t *count, struct kernel_report *report, struct error *error);

#endif
