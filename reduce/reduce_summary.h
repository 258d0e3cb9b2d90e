// Definitions that reduce's sources share: the variants, and one reduction from plan to row.
#ifndef REDUCE_REDUCE_SUMMARY_H
#define REDUCE_REDUCE_SUMMARY_H

#include <stdio.h>

#include "bench/probe.h"
#include "reduce/reduce_numbers.h"

enum reduce_parameter {
    REDUCE_ELEMENTS,
    REDUCE_BLOCK
};

enum reduce_place {
    REDUCE_ON_GPU,
    REDUCE_ON_CPU,
    REDUCE_ANYWHERE
};

// The properties of a variant. A kernel runs on the numbers and then on its blocks' sums until one sum is left, unless
// the row says otherwise.
struct reduce_detail {
    const struct kernel_source *source; // NULL: native code of the CPU, or the library
    const char *entry;
    native_kernel *native; // the CPU's kernel of this entry; NULL: there is none
    enum reduce_place runs;
    const char *before; // the variant that this one improves on; NULL: none
    // Elements that a thread takes from a tile before its block combines them. On the CPU: independent sums of a
    // thread; 0: one for each lane of four vectors.
    uint32_t unroll;
    // Arguments after the input, the result and the number of elements: a count of the blocks that have finished, then
    // the blocks' sums.
    uint32_t arguments_more;
    bool counts_blocks; // the ticket counts the blocks that have finished, and nothing else
    bool strided;       // few blocks stride over many tiles
    bool int32_only;
    bool redux;        // sums warps by one instruction
    bool threads;      // on the CPU: uses all threads
    bool one_launch;   // reads the numbers by 16-byte loads in one launch
    bool result_apart; // the result has a separate buffer
    bool zeroed;       // blocks add to the result, which must be 0 before
    bool tiled;        // each tile of a large array has a block
    bool checksums;    // the kernel only reads: the yardstick
    bool library;      // the vendor's library sums
};

// The summary of a run's rows: how much each step gained over the one before. Rows are kept until the run ends.

struct reduce_limit {
    const struct device *device;
    enum reduce_type type;
    uint64_t elements;
    double gb_s;
};

struct reduce_step {
    const struct variant *variant;
    struct row row;
    bool printed; // in the summary
};

struct reduce_summary {
    struct reduce_limit *limits;
    size_t limit_count;
    struct reduce_step *steps;
    size_t step_count;
};

// Kept for a run of the program.
struct reduce_session {
    const char *type; // the value of --type
    struct reduce_summary summary;
    struct reduce_known known;
};

static inline struct reduce_session *reduce_session(const struct run *run) {
    return run->session;
}

// The bandwidth at which this device reads that many numbers of a type, as measured in this run; NaN: not measured yet.
double reduce_summary_limit(const struct reduce_summary *summary, const struct device *device, enum reduce_type type,
                            uint64_t elements);
void reduce_summary_set_limit(struct reduce_summary *summary, const struct device *device, enum reduce_type type,
                              uint64_t elements, double gb_s);

// Sets the row's speedup if the step before ran with the same parameters, and keeps the row. printed: the summary has a
// paragraph about it.
void reduce_summary_add(struct reduce_summary *summary, const struct variant *variant, struct row *row, bool printed);

// Prints for each step its change, its counters and its gain.
void reduce_summary_print(const struct reduce_summary *summary, FILE *file);

void reduce_summary_clear(struct reduce_summary *summary);

#endif
