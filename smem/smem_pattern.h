// The shared-memory addresses of a block's warps, and the model's cost of them.
#ifndef SMEM_SMEM_PATTERN_H
#define SMEM_SMEM_PATTERN_H

#include "bench/addresses.h"
#include "bench/probe.h"
#include "model/shared_memory.h"

struct smem_pattern {
    enum operation operation;
    bool atomic;
    enum shared_path path;
    uint32_t width_bytes;
    uint32_t stride;   // elements from a lane to the next; 0: all lanes of a warp share one
    uint32_t group;    // neighbouring lanes that share an element
    uint32_t lanes;    // of a warp
    uint32_t warps;    // of the block
    uint32_t cluster;  // blocks of a cluster; 0: there are no clusters
    uint32_t distance; // ranks in its cluster from a block to the one whose shared memory it accesses
};

// The index of a thread's element, the same as element_index() of smem.cu.
uint32_t smem_element_index(const struct smem_pattern *pattern, uint32_t thread);

// Bytes of shared memory that the block needs.
uint64_t smem_pattern_bytes(const struct smem_pattern *pattern);

// Averages over the block's warps, for one request.
struct smem_cost {
    double passes, conflicts, unique_bytes;
    double clocks;            // for which it keeps a unit busy
    enum certainty certainty; // the least certain of the rules that were used
};
// Zero if the model does not know the part (NULL).
struct smem_cost smem_pattern_cost(const struct gpu *gpu, const struct smem_pattern *pattern);

// What smem's sources share: accesses by a pattern of lanes, accesses that a file lists, and the transposes.

enum smem_parameter {
    SMEM_WIDTH,
    SMEM_ELEMENTS,
    SMEM_BLOCK,
    SMEM_GROUP,
    SMEM_STRIDE,
    SMEM_CLUSTER,
    SMEM_DISTANCE
};

enum {
    SMEM_WIDTHS = 5,             // 1, 2, 4, 8, 16
    SMEM_COURSE_ELEMENTS = 4096, // as in the course and in smem.cu
    SMEM_ADDRESS_OPTIONS = 2
};

// The expected value of a thread of a block in `sums`, by the seed of the words that the block finds.
struct smem_job;
typedef uint32_t smem_expected(const struct smem_job *job, uint64_t seed, uint32_t thread);

smem_expected smem_sum_of_loads; // each access loads the thread's element
smem_expected smem_stored_word;  // the element is the last stored word
smem_expected smem_chain_end;    // the offset in each load is the element's own
smem_expected smem_atomic_count; // each access adds 1 to the element
smem_expected smem_course_sum;   // as smem_sum_of_loads, in the course's array

// The properties of a variant.
struct smem_detail {
    const char *entry; // of smem.cu or transpose.cu
    const char *op;    // value of the column
    enum operation operation;
    enum certainty certainty;      // the best that the rule for this operation can have
    uint32_t width_min, width_max; // bytes that the kernel takes; 0: no bound

    // Accesses by a pattern:
    smem_expected *expected;
    bool atomic;               // of a remote access: it adds
    bool remote;               // another block's shared memory
    bool writes;               // a remote access leaves a word of the block that accesses
    bool dependent;            // one warp, where each request waits for the one before
    uint32_t block;            // threads of a block; 0: as --block says
    uint32_t blocks_per_unit;  // of the grid for each compute unit; 0: 1, which has the unit to itself
    uint32_t array_elements;   // of the array that the kernel declares; 0: shared memory is dynamic
    uint32_t simulated_rounds; // 0: the usual number

    // Transposes:
    bool copies; // the kernel that copies tiles and does not transpose them
};

// State kept from point to point of one variant on one device.
struct smem_state {
    double conflict_free[SMEM_WIDTHS]; // cost of a request at stride 1; 0: not yet measured
    uint64_t cluster, distance;        // of these costs
    double copy_gb_s[SMEM_WIDTHS];     // bandwidth of the plain copy of tiles; 0: not yet measured
    uint64_t in, out, matrix_bytes;    // the transposes' buffers
};

// State kept for a run of the program.
struct smem_session {
    const char *path, *operation; // the values of --addresses and --op
    struct address_text text;     // of path; empty until a device needs it
};

// Refuses a width that the variant's kernel does not take (STATUS_USAGE).
enum status smem_check_width(const struct variant *variant, uint64_t width, struct error *error);

// ---- smem_access.c: the variants whose accesses follow a pattern of lanes, by what they show ----

extern const struct variant_kind smem_accesses, smem_broadcasts, smem_latencies, smem_remotes;

// ---- smem_addresses.c: the variant whose requests come from a file ----

extern const struct option_row smem_address_options[SMEM_ADDRESS_OPTIONS];

// Refuses the variant without its file, and any other variant with one (STATUS_USAGE).
enum status smem_supports_addresses(const struct smem_session *session, const struct variant *variant,
                                    struct error *error);

extern const struct variant_kind smem_addresses;

// ---- smem_transpose.c: the transposes ----

extern const struct smem_detail smem_tile_copy; // with which transposes are compared
extern const struct variant_kind smem_transposes;

#endif
