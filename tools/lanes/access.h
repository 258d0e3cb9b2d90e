// The accesses of a kernel's line by kind, with their counts and their share of the predicted time.
#ifndef TOOLS_LANES_ACCESS_H
#define TOOLS_LANES_ACCESS_H

#include "tools/lanes/grid.h"
#include "tools/lanes/kernel.h"

struct access {
    const struct sim_line *line;
    enum space space;
    enum operation operation;
    const struct memory_counts *counts;
    const struct request *costliest;
    struct line_work work; // the access and its part of the line's other instructions
    double share;          // of the launch's predicted time, from 0 to 1
};

// Sets the four kinds; those that the line does not have have no requests.
void line_accesses(const struct kernel_report *report, const struct sim_line *line, struct access accesses[LINE_KINDS]);

// Requests of all four kinds.
double line_requests(const struct launch_counts *counts);

// The share of a line without any access: of its branches and barriers. 0 for other lines.
double line_share(const struct kernel_report *report, const struct sim_line *line);

// "load", "store" or "atomic".
const char *access_name(const struct access *access);

// The mean number of active lanes of the access's requests.
double access_active_lanes(const struct access *access);

// The mean number of active lanes of all of the line's instructions.
double line_active_lanes(const struct sim_line *line);

// What the whole launch does.
struct line_work launch_line_work(const struct kernel_report *report);

// NULL if the line has no counts.
const struct sim_line *line_find(const struct kernel_report *report, const char *path, uint32_t number);

#endif
