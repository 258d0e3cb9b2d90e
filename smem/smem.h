// What smem's parts share: accesses by a pattern of lanes, those of a file, and the transposes.
#ifndef SMEM_SMEM_H
#define SMEM_SMEM_H

#include "bench/probe.h"
#include "model/shared_memory.h"

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

// What a variant is, beside its name.
struct smem_detail {
    enum smem_kind kind;
    const char *entry; // of smem.cu or transpose.cu
    const char *op;    // as the column names it
    enum operation operation;
    enum certainty certainty; // of the rule for this operation, at best
    const char *columns;      // of its own table
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
