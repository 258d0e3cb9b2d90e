// What smem's parts share: accesses by a pattern of lanes, those of a file, and the transposes.
#ifndef SMEM_SMEM_H
#define SMEM_SMEM_H

#include "bench/probe.h"
#include "smem/smem_pattern.h"

enum smem_parameter {
    SMEM_WIDTH,
    SMEM_ELEMENTS,
    SMEM_BLOCK,
    SMEM_GROUP,
    SMEM_STRIDE
};

enum {
    SMEM_WIDTHS = 5, // 1, 2, 4, 8, 16
    SMEM_ADDRESS_OPTIONS = 2
};

enum smem_kind {
    SMEM_THROUGHPUT, // as many requests as the part takes
    SMEM_LATENCY,    // one warp, each request waiting for the one before
    SMEM_COURSE,     // the old course's loop
    SMEM_ADDRESSES,  // the requests of a file
    SMEM_TRANSPOSE,
};

// What the threads of a block access.
struct smem_access {
    struct smem_pattern pattern;
    uint32_t count; // of a thread's accesses
    uint64_t seed;
};

// What a thread of a block must leave in `sums`.
typedef uint32_t smem_expected(const struct smem_access *access, uint32_t thread);

smem_expected smem_sum_of_loads; // each access loads the thread's element
smem_expected smem_stored_word;  // the element is what was stored last
smem_expected smem_chain_end;    // the offset that each load gives is the element's own
smem_expected smem_atomic_count; // each access adds 1 to the element
smem_expected smem_course_sum;   // as smem_sum_of_loads, in the course's array

// What is special to a variant.
struct smem_detail {
    enum smem_kind kind;
    const char *entry; // of smem.cu or transpose.cu
    const char *op;    // as the column names it
    enum operation operation;
    enum certainty certainty;      // of the rule for this operation, at best
    const char *columns;           // of its own table
    smem_expected *expected;       // of an access by a pattern
    uint32_t width_min, width_max; // bytes that the kernel takes; 0: no bound
    bool copies;                   // of the kernels that go by tiles, the one that does not transpose
};

// Kept from point to point of one variant on one device.
struct smem_state {
    double conflict_free[SMEM_WIDTHS]; // cycles (course: time) of a request at stride 1; 0: not yet measured
    double copy_gb_s[SMEM_WIDTHS];     // bandwidth of the plain copy of tiles; 0: not yet measured
    uint64_t in, out, matrix_bytes;    // the transposes' buffers
};

enum status smem_check_access(const struct run *run, const struct point *point, struct error *error);
enum status smem_measure_access(struct run *run, const struct point *point, struct error *error);

// What the options of --addresses were given.
struct smem_address_session {
    const char *path, *operation;
};
extern struct smem_address_session smem_address_session;
extern const struct option_row smem_address_options[SMEM_ADDRESS_OPTIONS];
// USAGE for the variant without its file, and for any other with one.
enum status smem_supports_addresses(const struct variant *variant, struct error *error);
enum status smem_check_addresses(const struct run *run, const struct point *point, struct error *error);
enum status smem_measure_addresses(struct run *run, const struct point *point, struct error *error);

enum status smem_check_transpose(const struct run *run, const struct point *point, struct error *error);
enum status smem_measure_transpose(struct run *run, const struct point *point, struct error *error);
void smem_finish_transpose(struct run *run);

#endif
