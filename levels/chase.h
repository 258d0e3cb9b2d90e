// A chase through a chain on a device: made, warmed, followed, checked.
#ifndef LEVELS_CHASE_H
#define LEVELS_CHASE_H

#include "bench/probe.h"
#include "levels/chain.h"

enum {
    CHASE_ARGUMENTS = 9,
    CHASE_RECORDS = 4096, // launches whose records are kept
};

enum chase_kind {
    CHASE_MEMORY,   // by what the elements hold
    CHASE_SHARED,   // the chain stands in shared memory, and each launch makes it
    CHASE_CONSTANT, // the chain stands in the kernel's constants, and each chain has a kernel
    CHASE_STORES,   // each element gets the next one's address; the chain is a stepped one
};

struct chase_kernel {
    const char *entry; // of levels.cu, or of constant.cu
    native_kernel *native;
    enum chase_kind kind;
};

// levels.cu.
const struct kernel_source *chase_source(void);

// A chase on one device: its memory may hold one chain after another.
struct chase {
    struct bench_device *bench_device;
    struct chase_kernel kernel;
    struct kernel *fill, *follow;
    uint64_t memory, memory_bytes; // of the chain
    uint64_t cursor, records;      // device addresses, as levels.cu has them
    struct chain chain;
    uint32_t warm_rounds, rounds; // of the loop, in one launch: untimed, because it begins with an empty L1, and timed
    uint64_t visited;             // steps from the chain's start to the end of the last launch
    uint64_t launches;
    uint64_t first_launch;        // of those that count: what was before has warmed up
    uint64_t ends[CHASE_RECORDS]; // visits where each launch must end
    struct argument arguments[CHASE_ARGUMENTS];
    struct launch launch;
};

struct chase_result {
    double latency_ns, latency_cycles; // of a step: medians over the launches; NaN: the device has no such counter
    bool right;                        // every launch ended where the chain says
};

// Compiles, and allocates memory for chains of so many bytes; whatever it returns, chase_close cleans up.
enum status chase_open(struct chase *chase, struct bench_device *bench_device, const struct chase_kernel *kernel,
                       uint64_t bytes, struct error *error);
void chase_close(struct chase *chase);
bool chase_is_open(const struct chase *chase);

// Writes the chain, and goes round it twice, and on until a round takes as long as the one before; *warm says whether
// it came to that. Of a chain several times the last-level cache, which never holds it, only a part is gone.
enum status chase_prepare(struct chase *chase, const struct chain *chain, bool *warm, struct error *error);

// What that takes, about.
double chase_prepare_s(const struct device_info *info, const struct chain *chain);

// Overwrites the records.
enum status chase_poison(struct chase *chase, struct error *error);

// One launch, without waiting for it.
enum status chase_enqueue(struct chase *chase, struct error *error);

// Of the launches since chase_prepare.
enum status chase_read(struct chase *chase, struct chase_result *result, struct error *error);

// Whether the stores of the launches so far are in memory: some of them are looked at.
enum status chase_check_stores(struct chase *chase, bool *right, struct error *error);

// So many launches, waited for and read.
enum status chase_sample(struct chase *chase, uint32_t launches, struct chase_result *result, struct error *error);

// Steps of one launch.
uint64_t chase_steps(const struct chase *chase);

#endif
