// The cost of one request on one GPU in one memory space, as the program shows it.
#ifndef TOOLS_LANES_COST_H
#define TOOLS_LANES_COST_H

#include "model/gpus.h"
#include "model/request.h"

enum space {
    SPACE_SHARED,
    SPACE_GLOBAL
};

struct cost {
    enum space space;
    uint32_t active_lanes;
    uint32_t unique_bytes; // distinct bytes touched
    // shared: unique bytes over the bytes that the passes could deliver; global: requested bytes over moved bytes. NaN
    // if nothing moves.
    double efficiency_pct;
    uint32_t passes, conflicts; // shared; 0 on global
    const char *certainty;      // shared: of the rule; "" on global
    uint32_t sectors, lines;    // global; 0 on shared, as the next two
    uint32_t sector_bytes;      // of a load or a store
    uint32_t l1_clocks;         // for which the request keeps L1 busy
};

struct cost request_cost(const struct gpu *gpu, enum space space, const struct request *request);

const char *space_name(enum space space);
const char *operation_name(enum operation operation);

// "load", "store" or "atomic".
const char *request_name(const struct request *request);

#endif
