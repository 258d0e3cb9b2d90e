// The lines "# key: value" at the head of a CSV file: what ran where, when and how.
#ifndef BENCH_METADATA_H
#define BENCH_METADATA_H

#include "bench/bench_device.h"
#include "bench/output.h"
#include "bench/probe.h"

// Writes the program, the date, the host and the whole command line.
enum status metadata_write_program(struct output *output, const struct probe *probe, int argc, char **argv,
                                   struct error *error);

// A key about one device begins with its spec: "# sim:h200 device: NVIDIA H200".
enum status metadata_write_device(struct output *output, const struct bench_device *bench_device, struct error *error);

#endif
