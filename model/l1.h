// How long one request to global memory keeps the vector L1 of a compute unit busy if it finds all there.
#ifndef MODEL_L1_H
#define MODEL_L1_H

#include "model/gpus.h"
#include "model/request.h"

// A pure function from addresses to clocks; docs/model.md has the rules and their sources. Of an address the bits below
// L1_PLACE_BYTES matter, but for a load's tags on NVIDIA, for which those below 2^19 do.
enum {
    L1_PLACE_BYTES = 512,
    L1_TAG_BANKS = 4
};

// The bank of NVIDIA's tags in which a line is found: the XOR of the two-bit digits of its number.
uint32_t l1_folded_bank(uint64_t line);

struct l1_cost {
    uint32_t clocks;
    uint32_t data_clocks; // of these at least, wherever the request lies: clocks are the larger of them and the tags'
};

struct l1_cost l1_cost(const struct gpu *gpu, const struct request *request);

// The clocks of a load's tags on NVIDIA, which may be fewer than its lines and are never more.
uint32_t l1_tag_clocks(const struct gpu *gpu, const struct request *request);

#endif
