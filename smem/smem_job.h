// One kernel of smem.cu: built, launched, checked and counted. Which addresses its requests have is the caller's
// matter.
#ifndef SMEM_SMEM_JOB_H
#define SMEM_SMEM_JOB_H

#include "bench/probe.h"
#include "smem/smem_pattern.h"

enum {
    SMEM_ARGUMENTS = 6,
    SMEM_OWN_ARGUMENTS = 2 // where those begin that the caller sets; before them stand sums and cycles
};

struct smem_job {
    struct run *run;
    const char *entry; // of smem.cu
    enum operation operation;
    uint32_t width_bytes;
    uint32_t lanes;          // of a warp, those that take part
    uint32_t warps;          // of a block
    uint32_t unroll, rounds; // a thread's accesses: so many in flight, so often
    struct smem_cost cost;   // of one request, predicted; zero where the model does not know the part
    struct launch launch;    // but for its arguments
    struct argument arguments[SMEM_ARGUMENTS];
    // What a thread of a block must leave in sums.
    uint32_t (*expected_sum)(const struct smem_job *job, uint32_t thread);

    // Made by smem_job_prepare.
    struct kernel *kernel;
    uint64_t sums, cycles; // device addresses: a word for each thread, a counter for each block
};

const struct device_info *smem_info(const struct run *run);

// Rounds for a block that is to run for a while, when one round takes so many cycles.
uint32_t smem_rounds(double cycles_per_round);

// smem.cu's summand of a word that was made from value by word_from_u64.
uint32_t smem_summand(uint64_t value, uint32_t width_bytes);

// Compiles and allocates; whatever it returns, smem_job_release cleans up.
enum status smem_job_prepare(struct smem_job *job, struct error *error);
void smem_job_release(struct smem_job *job);

// For measure() and run_trial(), which checks the sums of all threads.
struct work smem_job_work(struct smem_job *job);
struct trial smem_job_trial(struct smem_job *job);

// Of a block, in one launch.
double smem_job_requests(const struct smem_job *job);

// That all lanes asked for in one launch.
double smem_job_useful_bytes(const struct smem_job *job);

// Of the latest launch: the mean over the blocks, each of which has counted its own cycles.
enum status smem_job_cycles_per_request(struct smem_job *job, double *cycles, struct error *error);

// The width, the launch's shape, and the counts of shared memory: by the model on a real GPU, as they were counted on
// the simulator. The timed accesses alone.
enum status smem_job_describe(struct smem_job *job, struct row *row, struct error *error);

// Cycles of a request, and the bytes that move in one.
void smem_job_set_cycles(const struct smem_job *job, double cycles, struct row *row);

// What this job's request costs over what a conflict-free one does, measured and predicted.
struct smem_degree {
    double cost, conflict_free_cost; // measured, in any unit
    double conflict_free_passes;     // of no matter where the model does not know the part
    enum certainty certainty;        // of the rule for this operation, at best
};
void smem_job_set_degree(const struct smem_job *job, const struct smem_degree *degree, struct row *row);

#endif
