// The command line of lanes.
#ifndef TOOLS_LANES_ARGUMENTS_H
#define TOOLS_LANES_ARGUMENTS_H

#include <stdbool.h>

#include "device/device.h"
#include "device/launch.h"
#include "model/layout.h"
#include "tools/lanes/grid.h"
#include "tools/lanes/kernel.h"
#include "util/error.h"

// ---- Conditions ----

// What --fail-if asks: a condition on a kernel's counts, such as 'conflicts > 0'.

struct condition {
    const char *text; // NULL: none
    double (*count)(const struct launch_counts *counts);
    int sign; // an index of the comparisons
    double limit;
};

// STATUS_FAILED if the condition is true of the counts.
enum status condition_check(const struct condition *condition, const char *gpu, const struct launch_counts *counts,
                            struct error *error);

// ---- Arguments ----

enum {
    GPUS_MAX = 64
};

struct arguments {
    bool help, version, list, list_devices, list_gpus;
    const struct gpu *gpus[GPUS_MAX];
    struct gpu_part *made[GPUS_MAX]; // owns those that are no rows of the table; otherwise NULL
    size_t gpu_count;
    const char *csv, *svg, *json; // files; NULL: none
    bool advise;
    uint64_t line; // of the kernel, one of whose requests is drawn; 0: none
    struct condition fail_if;

    // A tile without rows: no layout is asked for.
    struct tile tile;
    struct option_list accesses; // to the tile
    const char *array;           // of the kernel, which holds the tile; NULL: the accesses are given

    // kernel.launch_count is 0 without a kernel. Then the requests come from the file `addresses`, or from the pattern.
    struct kernel_run kernel;
    const char *addresses;
    enum space space;
    struct request request;                // the first of the widths, without addresses
    struct pattern pattern;                // the first of the strides and offsets
    struct sweep widths, strides, offsets; // of patterns
};

// Parses the command line; the texts point into argv. STATUS_USAGE if the options make no sense together. Prints the
// help for --help and the version for --version.
enum status arguments_parse(struct arguments *arguments, int argc, char **argv, struct error *error);
void arguments_clear(struct arguments *arguments);

#endif
