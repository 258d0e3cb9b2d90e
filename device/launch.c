#include "device/launch.h"

// For the model's structs, which hold nothing but doubles.
static void add_doubles(void *sum, const void *more, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof(double); i++) {
        ((double *)sum)[i] += ((const double *)more)[i];
    }
}

static void divide_doubles(void *counts, double divisor, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof(double); i++) {
        ((double *)counts)[i] /= divisor;
    }
}

static void add_memory(struct memory_counts *sum, const struct memory_counts *more) {
#define ADD(name) sum->name += more->name;
    MEMORY_COUNTERS(ADD)
#undef ADD
}

static void mean_memory(struct memory_counts *counts, double launches) {
#define MEAN(name) counts->name /= launches;
    MEMORY_COUNTERS(MEAN)
#undef MEAN
}

void launch_counts_add(struct launch_counts *sum, const struct launch_counts *more) {
#define ADD(name) sum->name += more->name;
#define ADD_MEMORY(name) add_memory(&sum->name, &more->name);
    LAUNCH_MEMORIES(ADD_MEMORY)
    LAUNCH_COUNTERS(ADD)
#undef ADD
#undef ADD_MEMORY
    add_doubles(&sum->memory, &more->memory, sizeof sum->memory);
    sum->sampling_error_pct += more->sampling_error_pct; // at least the error of the mean, after the division
    sum->sampled |= more->sampled;
}

static void extrapolate_doubles(void *counts, const void *next, double steps, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof(double); i++) {
        ((double *)counts)[i] += steps * (((const double *)next)[i] - ((double *)counts)[i]);
    }
}

void launch_counts_extrapolate(struct launch_counts *counts, const struct launch_counts *next, double steps) {
#define EXTRAPOLATE(name) extrapolate_doubles(&counts->name, &next->name, steps, sizeof counts->name);
    LAUNCH_MEMORIES(EXTRAPOLATE)
    LAUNCH_COUNTERS(EXTRAPOLATE)
#undef EXTRAPOLATE
    extrapolate_doubles(&counts->memory, &next->memory, steps, sizeof counts->memory);
}

void launch_counts_mean(struct launch_counts *counts, double launches) {
#define MEAN(name) counts->name /= launches;
#define MEAN_MEMORY(name) mean_memory(&counts->name, launches);
    LAUNCH_MEMORIES(MEAN_MEMORY)
    LAUNCH_COUNTERS(MEAN)
#undef MEAN
#undef MEAN_MEMORY
    divide_doubles(&counts->memory, launches, sizeof counts->memory);
    counts->sampling_error_pct /= launches;
}
