// Builds, launches, checks and counts one kernel of smem.cu. The caller chooses the addresses of its requests.
#ifndef SMEM_SMEM_JOB_H
#define SMEM_SMEM_JOB_H

#include "bench/probe.h"
#include "smem/smem_pattern.h"

enum {
    SMEM_ARGUMENTS = 6,
    SMEM_OWN_ARGUMENTS = 2 // the first two arguments, sums and cycles; the caller sets the others
};

struct smem_job {
    struct run *run;
    const struct smem_detail *detail;
    const char *entry;           // of smem.cu
    struct smem_pattern pattern; // of the accesses; of its lanes only the active ones
    uint32_t unroll, rounds;     // a thread has `unroll` accesses in flight, `rounds` times
    struct smem_cost cost;       // predicted cost of one request; zero if the model does not know the part
    struct launch launch;        // without its arguments
    struct argument arguments[SMEM_ARGUMENTS];
    // The expected value of a thread of a block in sums.
    uint32_t (*expected_sum)(const struct smem_job *job, uint64_t block, uint32_t thread);

    // smem_job_prepare sets these.
    struct kernel *kernel;
    uint64_t sums, cycles; // device addresses: a word for each thread, a counter for each block
};

// The rounds that keep a block busy long enough to be measured, if one round takes this many cycles.
uint32_t smem_rounds(double cycles_per_round);

// The value of smem.cu's summand() for the word that word_from_u64() makes from value.
uint32_t smem_summand(uint64_t value, uint32_t width_bytes);

// Compiles, and allocates. Clusters fill the grid with as many as run at once. Call smem_job_release afterwards, also
// after a failure.
enum status smem_job_prepare(struct smem_job *job, struct error *error);
void smem_job_release(struct smem_job *job);

// For measure(), and for run_trial(), which checks the sums of all threads.
struct work smem_job_work(struct smem_job *job);
struct trial smem_job_trial(struct smem_job *job);

// Requests of a block in one launch.
double smem_job_requests(const struct smem_job *job);

// Bytes that all lanes request in one launch.
double smem_job_useful_bytes(const struct smem_job *job);

// The cycles of a request in the latest launch: the mean over the blocks, each of which counts its cycles. On a
// simulated device, which has no counter, the clocks for which the model says that the request keeps the banks busy.
enum status smem_job_cycles_per_request(struct smem_job *job, double *cycles, struct error *error);

// The counts of the latest launch: the simulator's, or the model's on a real GPU.
enum status smem_job_counts(struct smem_job *job, struct launch_counts *counts, struct error *error);

// Sets the width, the launch's shape, and the counts of shared memory. Only the timed accesses count.
void smem_job_describe(const struct smem_job *job, const struct launch_counts *counts, struct row *row);

// Sets the cycles of a request, and the bytes that move in one cycle.
void smem_job_set_cycles(const struct smem_job *job, double cycles, struct row *row);

// What a conflict-free request costs.
struct smem_reference {
    double cost;   // measured, in the unit of the other request's
    double passes; // predicted; unused if the model does not know the part
};

// Sets the cost of this job's request divided by that of a conflict-free one, measured and predicted.
void smem_job_set_degree(const struct smem_job *job, double cost, const struct smem_reference *conflict_free,
                         struct row *row);

#endif
