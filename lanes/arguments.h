// The command line of lanes, as understood.
#ifndef LANES_ARGUMENTS_H
#define LANES_ARGUMENTS_H

#include "lanes/cost.h"
#include "lanes/kernel.h"
#include "lanes/pattern.h"

enum {
    GPUS_MAX = 64
};

struct arguments {
    bool help, version, list_gpus;
    const struct gpu *gpus[GPUS_MAX];
    size_t gpu_count;
    const char *csv, *svg; // files; NULL: none

    // A kernel where kernel.path is given, else requests: from a file where addresses is given, else of the pattern.
    struct kernel_run kernel;
    const char *addresses;
    enum space space;
    enum operation operation;
    uint32_t width_bytes;
    struct pattern pattern;
};

// USAGE, and the reason, where the words make no sense. The texts point into argv. Prints the help where it is asked
// for.
enum status arguments_parse(struct arguments *arguments, int argc, char **argv, struct error *error);
void arguments_clear(struct arguments *arguments);

#endif
