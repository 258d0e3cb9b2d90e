// The run under a vendor's profiler: each point's work is done once, its launches are counted, and nothing is timed.
#ifndef BENCH_COUNTERS_COUNTING_H
#define BENCH_COUNTERS_COUNTING_H

#include "bench/row.h"
#include "device/device.h"
#include "util/options.h"

struct counting;

// Launches and rows go to this file. Output files that the options name belong to the measuring run and are not
// written.
enum status counting_open(struct counting **counting, const char *path, const struct option_table *options,
                          size_t count, struct error *error);
enum status counting_close(struct counting *counting, struct error *error);

// Records the device's launches from now on.
void counting_watch(struct counting *counting, struct device *device);

void counting_begin_point(struct counting *counting);
void counting_row(struct counting *counting, const struct row *row);

// Counts the first launch of each kernel, grid and block between these two calls.
void counting_begin(struct counting *counting);
void counting_end(struct counting *counting);

#endif
