// A chase through a chain on a device: makes the chain, warms the caches, follows it and checks the end.
#ifndef LEVELS_CHASE_H
#define LEVELS_CHASE_H

#include "bench/probe.h"
#include "levels/chain.h"

enum {
    CHASE_ARGUMENTS = 9,
    CHASE_RECORDS = 4096, // number of launches whose records are kept
    CHASE_UNROLL = 32,    // steps of a round
};

enum chase_kind {
    CHASE_MEMORY,   // each element holds the address of the next
    CHASE_SHARED,   // the chain is in shared memory, and each launch builds it
    CHASE_CONSTANT, // the chain is in the kernel's constants, so each chain needs a kernel
    CHASE_STORES,   // each element is written with the address of the next, which follows from equal steps
};

struct chase_kernel {
    const char *entry; // in levels.cu or constant.cu
    native_kernel *native;
    enum chase_kind kind;
};

extern const struct chase_kernel chase_of_loads; // of plain loads, one after the other

// Compiles a kernel of levels.cu, or takes the CPU's.
enum status chase_build(struct device *device, const char *entry, native_kernel *native, struct kernel **kernel,
                        struct error *error);

// A chase on one device, whose memory holds one chain after another.
struct chase {
    struct bench_device *bench_device;
    struct chase_kernel kernel;
    struct kernel *fill, *follow;
    uint64_t memory, memory_bytes; // of the chain
    void *host_memory;             // of device_allocate_kind
    uint64_t cursor, records;      // device addresses, arguments of levels.cu
    struct chain chain;
    uint32_t warm_rounds; // untimed rounds of the loop in one launch, which fill an empty L1
    uint32_t rounds;      // timed rounds
    uint64_t visited;     // steps from the chain's start to the end of the last launch
    uint64_t launches;
    uint64_t first_launch;        // earlier launches only warmed the caches
    uint64_t ends[CHASE_RECORDS]; // number of visits after which each launch must end
    struct argument arguments[CHASE_ARGUMENTS];
    struct launch launch;
};

struct chase_result {
    double latency_ns, latency_cycles; // of a step, medians over the launches; NaN if the device has no such counter
    double fastest_ns[2];              // of a step in the two fastest launches
    double spread; // distance of the launches' quartiles over their median, of cycles if the device counts them
    bool right;    // every launch ended where the chain leads
};

// Compiles, and allocates memory for chains of up to `bytes` bytes. Call chase_close afterwards, also after a failure.
enum status chase_open(struct chase *chase, struct bench_device *bench_device, const struct chase_kernel *kernel,
                       enum memory_kind memory, uint64_t bytes, struct error *error);
void chase_close(struct chase *chase);
bool chase_is_open(const struct chase *chase);

// Writes the chain and follows it at least twice, until a round takes as long as the one before; *warm says whether it
// did. Of a chain that is several times the last-level cache only a part is followed, because no cache holds it.
enum status chase_prepare(struct chase *chase, const struct chain *chain, bool *warm, struct error *error);

// Estimated time of chase_prepare.
double chase_prepare_s(const struct device_info *info, const struct chain *chain);

// Overwrites the records. The context is the chase, as in struct trial.
enum status chase_poison(void *context, struct error *error);

// Enqueues one launch and does not wait for it. The same.
enum status chase_enqueue(void *context, struct error *error);

// Results of the launches since chase_prepare.
enum status chase_read(struct chase *chase, struct chase_result *result, struct error *error);

// Whether a sample of the stores so far is in memory.
enum status chase_check_stores(struct chase *chase, bool *right, struct error *error);

// Runs `launches` launches, waits for them and reads their records.
enum status chase_sample(struct chase *chase, uint32_t launches, struct chase_result *result, struct error *error);

// Number of steps of one launch.
uint64_t chase_steps(const struct chase *chase);

#endif
