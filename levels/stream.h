// Reads or writes a footprint again and again, as fast as the device can, and checks the result. levels/stream.cu says
// how blocks share the footprint.
#ifndef LEVELS_STREAM_H
#define LEVELS_STREAM_H

#include "bench/probe.h"

enum stream_operation {
    STREAM_READ,
    STREAM_WRITE,
    STREAM_COPY
};

// How a GPU reads for in-flight.
enum stream_path {
    STREAM_LOADS, // to registers
    STREAM_WORDS, // by asynchronous copies of a word to shared memory, by way of L1
    STREAM_WORDS_PAST_L1,
    STREAM_BULK // by the copy engine, a chunk at once
};

// What a GPU's loads of separate footprints tell the caches. stream.cu has the numbers, too.
enum stream_policy {
    POLICY_USUAL,
    POLICY_CA, // PTX's names
    POLICY_CG,
    POLICY_CS, // AMD's nt
    POLICY_NC,
    POLICY_VOLATILE,
    POLICY_L1_EVICT_FIRST,
    POLICY_L1_EVICT_LAST,
    POLICY_L1_NO_ALLOCATE,
    POLICY_L2_EVICT_FIRST,
    POLICY_L2_EVICT_LAST
};

// Which words a launch touches, and how often.
struct stream_plan {
    enum stream_operation operation;
    bool own;    // each block has separate chunks ...
    bool split;  // ... which together are the footprint
    bool flight; // the bytes in flight decide: `blocks` are all that run at once
    bool follow; // short blocks follow each other: `group` of them go through all chunks
    enum stream_path path;
    enum stream_policy policy;
    enum memory_kind memory; // of the footprint
    uint32_t stages;         // chunks that a block has in flight in shared memory; 0: none, the words go to registers
    uint32_t width_bytes, items;
    uint32_t blocks, threads;
    uint32_t whole_chunks; // of a footprint of which a simulated launch touches only `chunks`; 0: all of them
    uint32_t chunks; // if own: chunks of a block, one word per thread; otherwise chunks of all blocks, `items` words
                     // per thread
    uint32_t group;  // if not own: blocks that touch adjacent chunks together, not more than there are chunks
    uint64_t gpu_blocks; // as many as `blocks`, or in a simulation as a GPU's launch has
    uint32_t rounds;     // if own: turns through a block's chunks; otherwise chunks that a block touches
};

// A plan that touches everything at least once. footprint_bytes is what each unit (own) or all of them together access;
// for a copy it includes source and destination. An incomplete last chunk is left out.
struct stream_plan stream_plan_make(const struct device_info *info, enum stream_operation operation, bool own,
                                    uint64_t footprint_bytes);
// Reads of a GPU, whose blocks follow each other.
struct stream_plan stream_plan_follow(const struct device_info *info, uint64_t footprint_bytes);

// The bytes that a unit has in flight: each lane of its warps `loads` words, in each stage.
struct stream_flight {
    enum stream_path path;
    uint32_t warps, loads, width_bytes, stages; // stages 0: the words go to registers
};

// The same for a shared footprint, with as many bytes in flight.
struct stream_plan stream_plan_in_flight(const struct device_info *info, uint64_t footprint_bytes,
                                         const struct stream_flight *flight);

uint64_t stream_chunk_bytes(const struct stream_plan *plan);
uint64_t stream_buffer_bytes(const struct stream_plan *plan);    // of the source and of the destination
uint64_t stream_footprint_bytes(const struct stream_plan *plan); // the footprint in whole chunks
double stream_useful_bytes(const struct stream_plan *plan);      // of a launch
uint64_t stream_shared_bytes(const struct stream_plan *plan);    // of a block
double stream_bytes_in_flight(const struct stream_plan *plan);   // of a GPU's launch

// Whether a unit's registers hold that many warps, each with its loads in flight.
bool stream_fits_registers(const struct stream_plan *plan, uint32_t warps);

// If not own: the chunk that the block touches in this round.
uint32_t stream_chunk(const struct stream_plan *plan, uint32_t block, uint32_t round);

// Sets visits[chunks] to how often a launch touches each chunk of a block, or of all blocks.
void stream_visits(const struct stream_plan *plan, uint32_t *visits);

// The source of stream.cu.
const struct kernel_source *stream_source(void);

struct streaming {
    struct run *run;
    struct stream_plan plan;
    struct kernel *kernel;
    uint64_t source, destination, sums;   // device addresses
    void *host_source, *host_destination; // of device_allocate_kind
    struct argument arguments[5];
    struct launch launch;
};

// Compiles, allocates, fills, and lengthens the launch. Call stream_close afterwards, also after a failure.
enum status stream_open(struct streaming *stream, struct run *run, const struct stream_plan *plan, struct error *error);
void stream_close(struct streaming *stream);

// The sum of the kernels' sums at this address.
enum status stream_total(struct device *device, uint64_t address, uint64_t count, uint32_t *total, struct error *error);

// For run_trial().
struct trial stream_trial(struct streaming *stream);

#endif
