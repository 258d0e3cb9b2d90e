// How the devices of a run are connected, and how fast each path between them is, on which --exchange auto decides.
#ifndef APSP_APSP_LINK_H
#define APSP_APSP_LINK_H

#include "apsp/apsp_session.h"
#include "bench/output.h"

// Measures every pair of devices of one backend and adds a line of metadata for each: "cuda:0 to cuda:1: NVLink, ...".
// session is a struct apsp_session, which keeps the rates.
enum status apsp_link_describe(void *session, const struct run *runs, size_t run_count, struct bench_device *devices,
                               size_t count, struct output *output, struct error *error);

// Whether these devices should send rows to each other rather than through the host. --exchange decides, and if it is
// auto the slowest pair does; peers are preferred if nothing was measured.
bool apsp_link_prefers_peer(const struct apsp_session *session, struct device *const *devices, size_t count);

#endif
