#include "sim/parallel/worker.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- System calls that the simulator makes even where a kernel may not ----

// The filter knows these calls by the place that they return to.
#if defined(__x86_64__)

__asm__(".text\n"
        ".globl sim_own_call\n"
        ".hidden sim_own_call\n"
        ".type sim_own_call, @function\n"
        "sim_own_call:\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    movq %r8, %r10\n"
        "    movq %r9, %r8\n"
        "    movq 8(%rsp), %r9\n"
        "    syscall\n"
        ".globl sim_own_call_returns\n"
        ".hidden sim_own_call_returns\n"
        "sim_own_call_returns:\n"
        "    ret\n"
        ".size sim_own_call, . - sim_own_call\n");

#elif defined(__aarch64__)

__asm__(".text\n"
        ".globl sim_own_call\n"
        ".hidden sim_own_call\n"
        ".type sim_own_call, %function\n"
        "sim_own_call:\n"
        "    mov x8, x0\n"
        "    mov x0, x1\n"
        "    mov x1, x2\n"
        "    mov x2, x3\n"
        "    mov x3, x4\n"
        "    mov x4, x5\n"
        "    mov x5, x6\n"
        "    svc #0\n"
        ".globl sim_own_call_returns\n"
        ".hidden sim_own_call_returns\n"
        "sim_own_call_returns:\n"
        "    ret\n"
        ".size sim_own_call, . - sim_own_call\n");

#else

#include <errno.h>
#include <unistd.h>

long sim_own_call(long number, long a, long b, long c, long d, long e, long f) {
    const long result = syscall(number, a, b, c, d, e, f);
    return result < 0 ? -errno : result;
}

#endif

// ---- Workers ----

enum {
    RECORD_BYTES_LOG2 = 28, // of a worker; takes memory only where it is written
    WAIT_NS = 20 * 1000 * 1000
};

// How a worker ended.
struct sim_worker_end {
    uint32_t state; // enum sim_worker_state
};

static void *map_shared(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static size_t shared_bytes(const struct sim_workers *workers) {
    return workers->count * sizeof *workers->ends + sizeof *workers->bell;
}

enum status sim_workers_create(struct sim_workers *workers, uint32_t count, struct error *error) {
    *workers = (struct sim_workers){.count = count};
    workers->ends = map_shared(shared_bytes(workers));
    bool all = workers->ends != NULL;
    for (uint32_t i = 0; all && i < count; i++) {
        struct sim_worker *worker = &workers->worker[i];
        worker->end = &workers->ends[i];
        worker->record = (struct sim_record){.bytes = map_shared((size_t)1 << RECORD_BYTES_LOG2),
                                             .room = (size_t)1 << RECORD_BYTES_LOG2};
        all = worker->record.bytes != NULL;
    }
    if (!all) {
        sim_workers_destroy(workers);
        return error_set(error, STATUS_FAILED, "no memory to run blocks side by side: close other programs");
    }
    workers->bell = (uint32_t *)(workers->ends + count);
    return STATUS_OK;
}

static void finish(struct sim_worker *worker) {
    while (sim_own_call(SYS_wait4, worker->process, 0, 0, 0, 0, 0) == -EINTR) {
    }
    worker->process = 0;
}

void sim_workers_end(struct sim_workers *workers) {
    for (uint32_t i = 0; i < workers->count; i++) {
        struct sim_worker *worker = &workers->worker[i];
        if (worker->process) {
            sim_own_call(SYS_kill, worker->process, SIGKILL, 0, 0, 0, 0);
            finish(worker);
        }
    }
}

void sim_workers_destroy(struct sim_workers *workers) {
    sim_workers_end(workers);
    for (uint32_t i = 0; i < workers->count; i++) {
        if (workers->worker[i].record.bytes) {
            munmap(workers->worker[i].record.bytes, workers->worker[i].record.room);
        }
    }
    if (workers->ends) {
        munmap(workers->ends, shared_bytes(workers));
    }
    *workers = (struct sim_workers){0};
}

static _Noreturn void work(const struct sim_workers *workers, struct sim_worker *worker,
                           const struct sim_worker_task *task, pid_t parent) {
    sim_own_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
    const bool orphaned = sim_own_call(SYS_getppid, 0, 0, 0, 0, 0, 0) != parent;
    const bool useful = !orphaned && task->run(&worker->record, task->context) && !worker->record.is_full;
    __atomic_store_n(&worker->end->state, useful ? SIM_WORKER_IS_DONE : SIM_WORKER_FAILED, __ATOMIC_RELEASE);
    __atomic_add_fetch(workers->bell, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, workers->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
    for (;;) { // nothing that the program registered with atexit runs here
        syscall(SYS_exit, 0);
    }
}

// A process that runs users' kernels has one thread and may not fork (process.c), so no lock of the C library is taken
// in it.
static pid_t start_process(void) {
    const pid_t process = fork();
    return process < 0 && errno == ENOSYS ? (pid_t)sim_own_call(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0) : process;
}

bool sim_worker_start(struct sim_workers *workers, struct sim_worker *worker, const struct sim_worker_task *task) {
    const pid_t parent = getpid();
    fflush(stdout);
    worker->process = start_process();
    if (worker->process == 0) {
        work(workers, worker, task, parent);
    }
    worker->process = worker->process < 0 ? 0 : worker->process;
    return worker->process != 0;
}

uint64_t sim_workers_bytes(uint32_t count) {
    return (uint64_t)count << RECORD_BYTES_LOG2;
}

enum sim_worker_state sim_worker_state(const struct sim_worker *worker) {
    const enum sim_worker_state state = (enum sim_worker_state)__atomic_load_n(&worker->end->state, __ATOMIC_ACQUIRE);
    siginfo_t ending = {0};
    const long how = WEXITED | WNOHANG | WNOWAIT;
    if (state != SIM_WORKER_RUNS) {
        return state;
    }
    const long found = sim_own_call(SYS_waitid, P_PID, worker->process, (long)&ending, how, 0, 0);
    if (found == 0 && ending.si_pid == 0) {
        return SIM_WORKER_RUNS;
    }
    // It ended between both looks, or was killed.
    return __atomic_load_n(&worker->end->state, __ATOMIC_ACQUIRE) == SIM_WORKER_IS_DONE ? SIM_WORKER_IS_DONE
                                                                                        : SIM_WORKER_FAILED;
}

uint32_t sim_workers_bell(const struct sim_workers *workers) {
    return __atomic_load_n(workers->bell, __ATOMIC_ACQUIRE);
}

void sim_workers_wait(const struct sim_workers *workers, uint32_t bell) {
    const struct timespec most = {0, WAIT_NS};
    syscall(SYS_futex, workers->bell, FUTEX_WAIT, bell, &most, NULL, 0);
}
