// One point of gmem: its device memory, its kernel, and its row.
#ifndef GMEM_GMEM_MEASURE_H
#define GMEM_GMEM_MEASURE_H

#include "bench/addresses.h"
#include "bench/probe.h"
#include "gmem/gmem_cpu.h"
#include "gmem/gmem_index.h"
#include "gmem/gmem_layout.h"

// Device addresses, kept from point to point of one variant on one device.
struct gmem_buffers {
    uint64_t bytes;     // of each source and of the destination
    uint64_t kept_bits; // gmem_source_keep for the sources' content, because floats and doubles differ
    uint64_t sources[GMEM_SOURCES_MAX], destination;
    uint64_t sink, sink_bytes; // checksums or sums
    uint64_t indices[2], index_count[2];
};

// One point during its measurement; run->state is its struct gmem_buffers.
struct gmem_job {
    struct run *run;
    struct gmem_layout layout, largest; // buffers are made for the largest layout of the sweep
    struct kernel *kernel;              // NULL: the driver copies
    struct launch launch;
    struct argument arguments[GMEM_SOURCES_MAX + 4];
    const char *pattern;        // name in the file; NULL: not from a file
    struct gmem_index index[2]; // of the gathered and of the scattered elements
};

// What differs between families of variants.
struct gmem_family {
    const struct kernel_source *source;
    // Fills the sources and the indices, after a simulated device has chosen its blocks. NULL: there are none.
    enum status (*fill)(struct gmem_job *job, struct error *error);
    // Overwrites what the launch will write of the destination.
    enum status (*poison)(struct gmem_job *job, struct error *error);
    // context is the job, as in struct trial.
    enum status (*check)(void *context, bool *right, struct error *error);
};

// Elements that a launch reaches.
struct gmem_part {
    uint64_t first, end;
};

// The i-th part: all elements, or those of one block where only some blocks are simulated. Returns false after the
// last.
bool gmem_next_part(const struct gmem_job *job, uint64_t i, struct gmem_part *part);

void gmem_buffers_release(struct run *run);

// Kept for a run of the program.
struct gmem_session {
    struct gmem_cpu_tuning cpu[GMEM_CPU_OPERATIONS]; // methods that the CPU's kernels use
    uint32_t tuned_again[GMEM_CPU_OPERATIONS];       // how often, because a row was far from the trials
    const char *pattern_path;                        // argument of --pattern
    struct address_text pattern_text;                // content of the file; empty before it is read
};

// Whether the variant's kernel for the CPU has several methods at stride 1, and whose they are.
bool gmem_has_methods(const struct gmem_kernel *kernel, enum gmem_operation *operation);

// Measures the job, whose run, layout, largest and index are set, and writes its row.
enum status gmem_measure(struct gmem_job *job, uint64_t block, struct error *error);

// ---- gmem_indexed.c: gathers and scatters ----

// For the CPU, in C: the same entries, arguments and results as gmem/indexed.cu. Constants: WIDTH, PATTERN.
// launch->grid.x is the number of slices, one for each thread.
native_kernel gmem_gather, gmem_scatter, gmem_gather_scatter;

extern const struct gmem_family gmem_indexed;

// Families of struct gmem_kernel.
#define GMEM_GATHER                                                                                                    \
    .entry = "gather", .op = "gather", .reads = 1, .indexed = true, .family = &gmem_indexed, .native = gmem_gather
#define GMEM_SCATTER                                                                                                   \
    .entry = "scatter", .op = "scatter", .writes = 1, .indexed = true, .family = &gmem_indexed, .native = gmem_scatter
#define GMEM_GATHER_SCATTER                                                                                            \
    .entry = "gather_scatter", .op = "gather-scatter", .reads = 1, .writes = 1, .indexed = true,                       \
    .family = &gmem_indexed, .native = gmem_gather_scatter

// ---- gmem_atomic.c: atomic additions ----

// The same for gmem/atomic.cu. Constants: WIDTH, FLOATING.
native_kernel gmem_atomic_add, gmem_atomic_fetch_add;

extern const struct gmem_family gmem_atomic;

// Sets the number of targets: a power of two within that many bytes; 0: one target for each element.
void gmem_atomic_set_targets(struct gmem_layout *layout, uint64_t window_bytes);

// Refuses more additions to one float than it can count.
enum status gmem_atomic_check(const struct gmem_layout *layout, struct error *error);

// ---- gmem_pattern_job.c: the variant `pattern`, each point of which measures every pattern of a file ----

// The layout has the point's width, and the number of elements that addresses are repeated to.

// Refuses a wrong file, and patterns that do not fit into the device's memory.
enum status gmem_pattern_check_point(const struct run *run, const struct gmem_layout *layout, struct error *error);

enum status gmem_pattern_measure(struct run *run, const struct gmem_layout *layout, uint64_t block,
                                 struct error *error);

#endif
