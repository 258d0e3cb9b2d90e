// What reduce's parts share: the variants, and one reduction from plan to row.
#ifndef REDUCE_REDUCE_H
#define REDUCE_REDUCE_H

#include "bench/probe.h"
#include "reduce/reduce_numbers.h"

enum reduce_parameter {
    REDUCE_ELEMENTS,
    REDUCE_BLOCK
};

// How a variant gets from many numbers to one.
enum reduce_kind {
    REDUCE_LAUNCHES, // a kernel on the numbers, then on its blocks' sums, until one is left
    REDUCE_ATOMIC,   // one launch, one atomic addition a block
    REDUCE_LAST,     // one launch, the last block adds the blocks' sums
    REDUCE_READ,     // no sum: the yardstick
    REDUCE_LIBRARY,
    REDUCE_CPU,
};

struct reduce_detail {
    enum reduce_kind kind;
    const struct kernel_source *source; // NULL: the CPU's own, or the library
    const char *entry;
    const char *before; // the variant that this one improves on; NULL: none
    // Elements that a thread takes of a tile before the threads of its block meet. On the CPU: sums that a thread adds
    // to side by side; 0: one for each lane of four vectors.
    uint32_t unroll;
    bool strided;  // few blocks stride over many tiles
    bool in_place; // spoils its input
    bool redux;    // sums warps by one instruction: 32-bit integers alone
    bool threads;  // on the CPU: all of them take part
};

// The values of the probe's own options.
struct reduce_session {
    const char *type; // of --type
};

// The types that --type names, a bit each.
enum status reduce_types(const struct reduce_session *session, unsigned *types, struct error *error);

bool reduce_has_type(const struct reduce_detail *detail, enum reduce_type type);

// Measures one variant with numbers of one type, and gives its row to run_emit.
enum status reduce_measure(struct run *run, const struct point *point, enum reduce_type type, struct error *error);

// The smallest power of two that exceeds the last-level cache by CACHE_MULTIPLE, the same for every variant.
uint64_t reduce_default_elements(const struct device_info *info, size_t bytes);

// Elements of a point, the default put in.
uint64_t reduce_elements(const struct run *run, const struct point *point, enum reduce_type type);

// Whether the point is one of the many sizes that a variant runs over by default.
bool reduce_is_swept(const struct run *run, const struct point *point);

#endif
