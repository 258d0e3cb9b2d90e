// Processes: with limits, a compiler's and one's own that runs a user's kernel, and those that run some blocks of a
// launch each.
#ifndef SIM_PROCESS_H
#define SIM_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "util/error.h"

// Processes with limits: a compiler's, and one's own that runs a user's kernel.

// ---- Confinement ----

// Confines this process to what simulated kernels need: no files, no network, no threads, no more memory than given.

// Limits the compilers that this process starts: their memory, and the time that each may compute.
void sim_confine_compilers(void);

// Limits this process from now on to that many more bytes of memory, and makes most system calls raise SIGSYS. A kernel
// that makes such a call, or that runs longer than limit_s without a step, is reported with its line (block.c). The
// limits cannot be lifted. On a system without seccomp, system calls stay possible.
void sim_confine_kernels(uint64_t more_bytes, double limit_s);

// In a confined process: the next file that is opened is this one, whatever its name, because the loader opens a
// library by its name. -1: none can be opened.
void sim_confine_offer(int file);

// In a handler of SIGSYS: makes the system call fail as if it did not exist. The simulator's libraries make calls that
// they can do without.
void sim_deny_call(void *context);

// ---- Compilers ----

// ROCm's own program of this name, else the newest in PATH, such as clang-19, else the one without a version. False if
// there is none.
bool sim_find_llvm_tool(const char *name, char path[PATH_MAX]);

// The version of LLVM in such a program's path, as in clang-19, else the one that it tells; 0: unknown.
int sim_llvm_tool_version(const char *path);

// Runs the host's compiler in a temporary folder.

// A temporary folder under TMPDIR. However the program ends, the folder goes with it, and so do the compilers that run.
struct scratch {
    char path[PATH_MAX];
};

enum status scratch_enter(struct scratch *scratch, struct error *error);
void scratch_leave(struct scratch *scratch);

// Writes a file into the folder, and creates the folders in its name.
enum status scratch_write(const struct scratch *scratch, const char *name, const void *bytes, size_t count,
                          struct error *error);
enum status scratch_write_text(const struct scratch *scratch, const char *name, const char *text, struct error *error);

// Reads a file of the folder into a string, which the caller frees, and sets *count to its bytes; NULL if it cannot be
// read.
char *scratch_read(const struct scratch *scratch, const char *name, size_t *count);

// How long a compiler may take.
double scratch_compiler_seconds(void);

// Runs a program in the current working folder and waits for it. If output is not NULL, the caller frees *output, the
// text that the program printed. STATUS_FAILED if the program is missing, was killed, ended with a status other than 0,
// did not end within the seconds of BANKSHOT_COMPILER_SECONDS, or wrote more than 128 MiB. If it ended by itself, its
// output is then attached to the error.
enum status scratch_run(char *const *arguments, char **output, struct error *error);

// The first line that the program prints; empty if it fails.
void scratch_first_line(char *const *arguments, char *text, size_t size);

// ---- System calls that the simulator makes even where a kernel may not ----

// Returns what the system returns: a negative error number if the call fails. Kernels do not see this function.
long sim_own_call(long number, long a, long b, long c, long d, long e, long f) __attribute__((visibility("hidden")));

// ---- Workers ----

// What a worker leaves for the process that started it: values one after another, in memory that both have.
struct sim_record {
    unsigned char *bytes;
    size_t room, at; // at: where the next value is written or read
    bool is_full;    // a value did not fit
};

enum {
    SIM_RECORD_ALIGNMENT = 8 // of each value
};

static inline size_t sim_record_padded(size_t bytes) {
    return (bytes + SIM_RECORD_ALIGNMENT - 1) / SIM_RECORD_ALIGNMENT * SIM_RECORD_ALIGNMENT;
}

// Makes room for a value; NULL if it does not fit.
static inline void *sim_record_add(struct sim_record *record, size_t bytes) {
    void *place = record->bytes + record->at;
    if (record->is_full || record->room - record->at < sim_record_padded(bytes)) {
        record->is_full = true;
        return NULL;
    }
    record->at += sim_record_padded(bytes);
    return place;
}

static inline void sim_record_put(struct sim_record *record, const void *value, size_t bytes) {
    void *place = sim_record_add(record, bytes);
    if (place) {
        memcpy(place, value, bytes);
    }
}

// The next value, which sim_record_add made room for.
static inline const void *sim_record_get(struct sim_record *record, size_t bytes) {
    const void *place = record->bytes + record->at;
    record->at += sim_record_padded(bytes);
    return place;
}

// Processes that run some blocks of a launch each. A worker sees memory as it was when it started, and what it changes
// is its own, but for what overlays share; it leaves a record for the process that started it.

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
