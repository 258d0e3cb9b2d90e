// gmem's device memory: sources, destination and checksums.
#ifndef GMEM_GMEM_BUFFERS_H
#define GMEM_GMEM_BUFFERS_H

#include "bench/probe.h"
#include "gmem/gmem_layout.h"

// Device addresses, kept from point to point of one variant on one device.
struct gmem_buffers {
    uint64_t bytes; // of each source, and of the destination
    uint64_t sources[GMEM_SOURCES_MAX], destination;
    uint64_t sink, sink_bytes; // a checksum for each warp
};

// One point under way; run->state is its struct gmem_buffers.
struct gmem_job {
    struct run *run;
    struct gmem_layout layout;
    struct kernel *kernel; // NULL: the driver copies
    struct launch launch;
    struct argument arguments[GMEM_SOURCES_MAX + 4];
};

static inline const struct device_info *gmem_info(const struct run *run) {
    return &run->bench_device->device->info;
}

// Allocates what the job's kernel needs, for the largest layout of the sweep, so that buffers are made once a width.
enum status gmem_buffers_prepare(struct gmem_job *job, const struct gmem_layout *largest, struct error *error);

// Writes random words into the sources that the launch reads, where gmem_buffers_prepare has not.
enum status gmem_buffers_fill(struct gmem_job *job, struct error *error);

// Overwrites what the launch is to write. context is a struct gmem_job.
enum status gmem_buffers_poison(void *context, struct error *error);

void gmem_buffers_release(struct run *run);

#endif
