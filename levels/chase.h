// A chase through a chain on a device: makes the chain, warms the caches, follows it and checks the end.
#ifndef LEVELS_CHASE_H
#define LEVELS_CHASE_H

#include "bench/probe.h"
#include "levels/chain.h"

enum {
    CHASE_ARGUMENTS = 9,
    CHASE_RECORDS = 4096, // launches whose records are kept
};

enum chase_kind {
    CHASE_MEMORY,   // each element holds the address of the next
    CHASE_SHARED,   // the chain is in shared memory, and each launch makes it
    CHASE_CONSTANT, // the chain is in the kernel's constants, and each chain has its kernel
    CHASE_STORES,   // each element is written with the address of the next, which follows by equal steps
};

struct chase_kernel {
    const char *entry; // of levels.cu, or of constant.cu
    native_kernel *native;
    enum chase_kind kind;
};

// levels.cu.
const struct kernel_source *chase_source(void);

// A chase on one device, whose memory may hold one chain after another.
struct chase {
    struct bench_device *bench_device;
    struct chase_kernel kernel;
    struct kernel *fill, *follow;
    uint64_t memory, memory_bytes; // of the chain
    uint64_t cursor, records;      // device addresses, as levels.cu has them
    struct chain chain;
    uint32_t warm_rounds,
        rounds;       // of the loop in one launch: untimed ones, because L1 is empty at first, and timed ones
    uint64_t visited; // steps from the chain's start to the end of the last launch
    uint64_t launches;
    uint64_t first_launch;        // the first launch that counts; those before have warmed the caches
    uint64_t ends[CHASE_RECORDS]; // visits where each launch must end
    struct argument arguments[CHASE_ARGUMENTS];
    struct launch launch;
};

struct chase_result {
    double latency_ns, latency_cycles; // of a step, medians over the launches; NaN: the device has no such counter
    bool right;                        // every launch ended where the chain leads
};

// Compiles, and allocates memory for chains of so many bytes. Call chase_close after it, also where it fails.
enum status chase_open(struct chase *chase, struct bench_device *bench_device, const struct chase_kernel *kernel,
                       uint64_t bytes, struct error *error);
void chase_close(struct chase *chase);
bool chase_is_open(const struct chase *chase);

// Writes the chain and follows it at least twice, until a round takes as long as the one before. *warm says whether
// that was reached. Only a part of a chain that is several times the last-level cache is followed, because no cache
// holds it.
enum status chase_prepare(struct chase *chase, const struct chain *chain, bool *warm, struct error *error);

// About how long that takes.
double chase_prepare_s(const struct device_info *info, const struct chain *chain);

// Overwrites the records.
enum status chase_poison(struct chase *chase, struct error *error);

// One launch, without waiting for it.
enum status chase_enqueue(struct chase *chase, struct error *error);

// The result of the launches since chase_prepare.
enum status chase_read(struct chase *chase, struct chase_result *result, struct error *error);

// Whether the stores of the launches so far are in memory. It checks some of them.
enum status chase_check_stores(struct chase *chase, bool *right, struct error *error);

// Runs so many launches, waits for them and reads their records.
enum status chase_sample(struct chase *chase, uint32_t launches, struct chase_result *result, struct error *error);

// Steps of one launch.
uint64_t chase_steps(const struct chase *chase);

#endif
