// The log from the run under a profiler to the run that started it: each launch, whether it was counted, and the row it
// belongs to. One run writes the file line by line, and the other reads it.
#ifndef BENCH_COUNTERS_LAUNCHES_H
#define BENCH_COUNTERS_LAUNCHES_H

#include <stdio.h>

#include "bench/row.h"
#include "device/device.h"
#include "util/options.h"

enum {
    LAUNCH_NAME = 128,
    LAUNCH_COUNTERS_MAX = 32, // of one vendor, at most
    ROW_KEY = 1024
};

struct counted_launch {
    char kernel[LAUNCH_NAME];
    struct dimensions grid, block; // as a profiler prints them; x alone may be the product, and all 0 means unknown
    bool counted;
    size_t window;  // in a log: the number of the launch's window; from a profiler: the launch's number
    size_t printed; // from a profiler: the metrics for which it has a line
    double values[LAUNCH_COUNTERS_MAX];
};

struct launch_list {
    struct counted_launch *at;
    size_t count;
};

// A row, and the launches of its point that preceded it.
struct counted_row {
    char key[ROW_KEY];
    size_t first, end; // of the launches
    size_t window;     // the last one before the row
    unsigned uses;     // how often a row took it
};

struct launch_log {
    struct launch_list launches;
    struct counted_row *rows;
    size_t row_count;
};

// A key that identifies a row within a run, whatever was measured.
void row_key(const struct row *row, char key[ROW_KEY]);

// ---- Counting ----

struct counting;

// The run under a vendor's profiler: each point's work is done once, its launches are counted, and nothing is timed.

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

// ---- Reading ----

// The launch that was added, with all its values NaN.
struct counted_launch *launches_add(struct launch_list *list);

enum status launches_read(struct launch_log *log, const char *path, struct error *error);
void launches_clear(struct launch_log *log);

#endif
