// One reduction during its measurement: its device memory, its launches, its check and its times.
#ifndef REDUCE_REDUCE_JOB_H
#define REDUCE_REDUCE_JOB_H

#include "device/device.h"
#include "reduce/reduce_numbers.h"
#include "reduce/reduce_plan.h"

// ---- The vendors' libraries ----

// The sum of the vendor's library (CUB, hipCUB), which a user would call. It is a separate plug-in (plugin/library.cu),
// built if nvcc or hipcc is there, and loaded on demand.

// A loaded plug-in. It stays loaded until the program ends.
struct reduce_library {
    const char *name;     // "CUB"
    int (*version)(void); // major * 100000 + minor * 100 + patch
    // See plugin/library.cu. Returns NULL, or a description of the fault.
    const char *(*sum)(int type, const void *in, void *sum, uint64_t elements, void *scratch, size_t *bytes,
                       void *stream);
};

// Loads the plug-in for BACKEND_CUDA or BACKEND_HIP with an open device. Returns STATUS_NO_DEVICE with the reason if
// there is none, or if it does not work with the driver.
enum status reduce_library_open(enum backend_kind backend, struct reduce_library *library, struct error *error);

// For --list: the libraries that are there, "CUB 3.0.1", or why there is none.
void reduce_library_describe(char *text, size_t size);

enum {
    REDUCE_SLOT_BYTES = 8, // of a sum of any type
    REDUCE_ARGUMENTS_MAX = 5,
    REDUCE_CHECKSUMS = 1024 // words that the yardstick's blocks share
};

// Device addresses.
struct reduce_buffers {
    uint64_t input;
    // Launches alternate between the two. If the result has a separate buffer, the first holds the blocks' sums or the
    // library's scratch memory, and the second the result.
    uint64_t sums[2];
    uint64_t ticket; // counts the blocks that have finished
    size_t sums_bytes[2];
};

struct reduce_job {
    struct run *run;
    const struct reduce_detail *detail;
    enum reduce_type type;
    struct reduce_plan plan;
    struct reduce_buffers buffers;
    struct kernel *kernel;
    struct reduce_library library;
    uint32_t launches; // number of the plan's launches that run
    bool watched;      // take the counts, and check the blocks' sums, after the first launch
    struct launch_counts counts;
    bool blocks_right;
    size_t first_count; // of the first launch's blocks, if only some run; 0: all
};

struct reduce_times {
    struct measurement all;
    double first_ns; // of the first launch
};

static inline bool reduce_on_cpu(const struct run *run) {
    return device_is_cpu(run_info(run));
}

static inline size_t reduce_number_bytes(const struct reduce_job *job) {
    return reduce_type_bytes(job->type);
}

// Runs the plan, checks the result and measures the times. Release the job afterwards, also after a failure.
enum status reduce_job_run(struct reduce_job *job, struct reduce_times *times, struct error *error);
void reduce_job_release(struct reduce_job *job);

// Tiles of the first launch.
uint64_t reduce_tile_count(const struct reduce_job *job);

#endif
