// What one request costs in shared memory (LDS): passes and bank conflicts.
#ifndef MODEL_SHARED_MEMORY_H
#define MODEL_SHARED_MEMORY_H

#include "model/gpus.h"
#include "model/request.h"

// How certain the rule behind a cost is. Every result shows it.
enum certainty {
    RULE_CERTAIN, // stated by the vendor or measured on the part
    RULE_OPEN,    // measured on other parts; an experiment on this one must confirm it
    RULE_GUESS    // assumed from a related part
};

const char *certainty_name(enum certainty certainty);

struct shared_cost {
    uint32_t active_lanes;
    uint32_t passes;       // trips through the data stage: NVIDIA wavefronts; AMD LDS cycles (SQ_LDS_IDX_ACTIVE),
                           // of which a trip takes two in wide loads of gfx950
    uint32_t conflicts;    // as the vendor's profiler counts them
    uint32_t unique_bytes; // distinct bytes touched
    uint32_t groups;       // groups of lanes served together, merged ones counted once
    enum certainty certainty;
};

// How a byte address finds its bank. Two words of one bank need two passes when their rows differ.
struct banking {
    uint32_t banks;
    uint32_t bank_bytes; // successive runs of this many bytes lie in successive banks
    uint32_t row_bytes;  // one pass can reach an aligned run of this many bytes
};

// The most rows that these lanes touch in one bank, since the bank needs a pass for each.
uint32_t bank_passes(const struct banking *banking, const struct request *request, uint64_t lanes);

// A pure function from addresses to counts. The rules and their sources: docs/model.md.
struct shared_cost shared_memory_cost(const struct gpu *gpu, const struct request *request);

// The fewest passes that a request of these lanes can take wherever its elements lie: each group must move its distinct
// bytes, of which a pass carries so many. Lanes with equal addresses want the same element.
uint32_t shared_memory_least_passes(const struct gpu *gpu, const struct request *request);

// A request costs the same if all of its addresses move by a multiple of so many bytes.
uint32_t shared_memory_period(const struct gpu *gpu, const struct request *request);

// The lanes, one bit each, that a group of this request serves, for pictures.
uint64_t shared_memory_group_lanes(const struct gpu *gpu, const struct request *request, uint32_t group);

// Where a byte lies, for pictures. Lanes of one group that need different rows of one bank wait for each other.
struct shared_location {
    uint32_t bank;
    uint64_t row;
    uint32_t banks;      // that this request's operation and width see
    uint32_t bank_bytes; // bytes of one bank in one row
};

struct shared_location shared_memory_location(const struct gpu *gpu, const struct request *request, uint64_t address);

// Most bytes that one pass can carry, or a clock where a pass takes several.
uint32_t shared_memory_pass_bytes(const struct gpu *gpu);

#endif
