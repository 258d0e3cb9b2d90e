// Processes that run some blocks of a launch each. A worker sees memory as it was when it started, and what it changes
// is its own, but for what overlays share; it leaves a record for the process that started it.
#ifndef SIM_PARALLEL_WORKER_H
#define SIM_PARALLEL_WORKER_H

#include <stdint.h>
#include <sys/types.h>

#include "sim/parallel/record.h"
#include "util/error.h"

enum {
    SIM_WORKERS_MAX = 64
};

struct sim_worker {
    pid_t process; // 0: none
    struct sim_worker_end *end;
    struct sim_record record;
};

struct sim_workers {
    struct sim_worker worker[SIM_WORKERS_MAX];
    uint32_t count;
    struct sim_worker_end *ends; // of each, in memory that all processes have
    uint32_t *bell;              // counts workers that are done
};

// What a worker does; false if its record is of no use.
struct sim_worker_task {
    bool (*run)(struct sim_record *record, void *context);
    void *context;
};

// The address space that so many workers take.
uint64_t sim_workers_bytes(uint32_t count);

enum status sim_workers_create(struct sim_workers *workers, uint32_t count, struct error *error);

// Ends those that still run. Their records stay.
void sim_workers_end(struct sim_workers *workers);

void sim_workers_destroy(struct sim_workers *workers);

// Starts a worker, which must not have been started before; false if there can be no more processes.
bool sim_worker_start(struct sim_workers *workers, struct sim_worker *worker, const struct sim_worker_task *task);

enum sim_worker_state {
    SIM_WORKER_RUNS,    // or has not been started; shared memory begins with this state
    SIM_WORKER_IS_DONE, // its record is of use
    SIM_WORKER_FAILED
};

enum sim_worker_state sim_worker_state(const struct sim_worker *worker);

// Returns when a worker is done, or after a short time.
void sim_workers_wait(const struct sim_workers *workers, uint32_t bell);

// Read this before the workers' states, so that none is missed.
uint32_t sim_workers_bell(const struct sim_workers *workers);

#endif
