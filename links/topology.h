// Describes how the devices are connected.
#ifndef LINKS_TOPOLOGY_H
#define LINKS_TOPOLOGY_H

#include "bench/probe.h"

// Writes metadata: a line for each device's bus, and one for each pair of devices.
enum status links_describe(void *session, const struct run *runs, size_t run_count, struct bench_device *devices,
                           size_t count, struct output *output, struct error *error);

#endif
