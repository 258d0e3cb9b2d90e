// Going through a footprint again and again as fast as the device can: built, sized, checked. levels/stream.cu says how
// its blocks share it.
#ifndef LEVELS_STREAM_H
#define LEVELS_STREAM_H

#include "bench/probe.h"

enum stream_operation {
    STREAM_READ,
    STREAM_WRITE,
    STREAM_COPY
};

// Which words a launch touches, how often: pure numbers.
struct stream_plan {
    enum stream_operation operation;
    bool own;   // each block has chunks of its own ...
    bool split; // ... which together are the footprint
    uint32_t width_bytes, items;
    uint32_t blocks, threads;
    uint32_t chunks;  // of each block's own, of a word a thread; or of all, of `items` words a thread
    uint32_t advance; // of all: chunks from one that a block touches to the next
    uint32_t rounds;  // through all of its own; or chunks that a block touches
};

// Plans that touch everything once or more. footprint_bytes is what each unit (own) or all together go through, source
// and destination of a copy together; what is left of a chunk is left out.
struct stream_plan stream_plan_make(const struct device_info *info, enum stream_operation operation, bool own,
                                    uint64_t footprint_bytes);
// The same with this many warps a unit and loads a lane under way, of a footprint that all share.
struct stream_plan stream_plan_in_flight(const struct device_info *info, uint64_t footprint_bytes, uint32_t warps,
                                         uint32_t loads, uint32_t width_bytes);

uint64_t stream_chunk_bytes(const struct stream_plan *plan);
uint64_t stream_buffer_bytes(const struct stream_plan *plan);    // of source and destination each
uint64_t stream_footprint_bytes(const struct stream_plan *plan); // as it was asked for, in whole chunks
double stream_useful_bytes(const struct stream_plan *plan);      // of a launch

// Whether a unit holds so many warps of it at once, each with its loads under way.
bool stream_fits_registers(const struct stream_plan *plan, uint32_t warps);

// How often a launch touches each chunk of one block's own, or of all: visits[chunks].
void stream_visits(const struct stream_plan *plan, uint32_t *visits);

// stream.cu.
const struct kernel_source *stream_source(void);

struct streaming {
    struct run *run;
    struct stream_plan plan;
    struct kernel *kernel;
    uint64_t source, destination, sums; // device addresses
    struct argument arguments[5];
    struct launch launch;
};

// Compiles, allocates, fills, and makes a launch last a while; whatever it returns, stream_close cleans up.
enum status stream_open(struct streaming *stream, struct run *run, const struct stream_plan *plan, struct error *error);
void stream_close(struct streaming *stream);

// For run_trial().
struct trial stream_trial(struct streaming *stream);

#endif
