// Translates a point and the options into the solver's settings.
#ifndef APSP_APSP_SETTINGS_H
#define APSP_APSP_SETTINGS_H

#include "apsp/apsp_session.h"
#include "apsp/solve/gpu.h"

// All settings of a point on GPUs except for the transfer and the exchange, if distances have so many bits there.
struct apsp_settings apsp_settings_of(const struct run *run, const struct point *point, uint32_t bits);

// How the options want the matrix of this graph to get onto the GPU and back, if distances have so many bits there.
struct apsp_transfer apsp_transfer_of(const struct run *run, const struct graph *graph, uint32_t bits);

// Refuses a tile or a block that the device or the variant cannot have with so many bits.
enum status apsp_settings_check(const struct run *run, const struct point *point, uint32_t bits, struct error *error);

// The rounds of a solution on GPUs. No more GPUs than these can share it.
uint64_t apsp_rounds(const struct run *run, const struct point *point);

#endif
