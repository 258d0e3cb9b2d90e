// How the devices of a run are joined, and how fast each way between them is: what --exchange auto goes by.
#ifndef APSP_APSP_LINK_H
#define APSP_APSP_LINK_H

#include "bench/output.h"
#include "bench/probe.h"

// Measures every pair of one backend and adds a line of metadata for each: "cuda:0 to cuda:1: NVLink, ...".
enum status apsp_link_describe(void *session, struct bench_device *devices, size_t count, struct output *output,
                               struct error *error);

// Whether these devices should send rows to each other rather than through the host: as --exchange says, else by the
// slowest pair. Where nothing was measured they should.
bool apsp_link_prefers_peer(struct device *const *devices, size_t count);

#endif
