// One point of gmem, from its kernel to its row.
#ifndef GMEM_GMEM_MEASURE_H
#define GMEM_GMEM_MEASURE_H

#include "bench/addresses.h"
#include "gmem/gmem_buffers.h"
#include "gmem/gmem_cpu_tune.h"

// Kept for a run of the program.
struct gmem_session {
    struct gmem_cpu_tuning cpu[GMEM_CPU_OPERATIONS]; // methods that the CPU's kernels use
    bool leaves_caches;                              // some array is larger than the CPU's caches
    const char *pattern_path;                        // argument of --pattern
    struct address_text pattern_text;                // content of the file; empty before it is read
};

// The variant's kernel for the CPU; NULL: none.
native_kernel *gmem_native_of(const struct gmem_kernel *kernel);

// Measures the job, whose run, layout, largest and index are set, and writes its row.
enum status gmem_measure(struct gmem_job *job, uint64_t block, struct error *error);

#endif
