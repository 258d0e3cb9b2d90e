#include "bench/workers.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/cpu/host.h"
#include "util/clock.h"
#include "util/leftover.h"
#include "util/threads.h"

// ---- How many ----

enum {
    WORKERS_MAX = 32
};
static const double WORKER_BYTES = 2e9; // the largest default points of the probes take 1.2 GB

enum status workers_processors(uint32_t *count, struct error *error) {
    const char *text = getenv("BANKSHOT_SIM_THREADS");
    if (!text || !*text) {
        *count = (uint32_t)fmin(cpu_processors(), WORKERS_MAX);
        return STATUS_OK;
    }
    char *end;
    const long number = strtol(text, &end, 10);
    *count = (uint32_t)number;
    return end != text && !*end && number >= 1 && number <= WORKERS_MAX
               ? STATUS_OK
               : error_set(error, STATUS_USAGE, "BANKSHOT_SIM_THREADS: %.40s is no number from 1 to %d: set one", text,
                           WORKERS_MAX);
}

// ---- Messages ----

// What precedes an answer's rows and its error's log.
struct head {
    struct answer answer; // its pointers are those of the worker
    size_t log_bytes;
};

static bool send_all(int socket, const void *bytes, size_t count) {
    for (const char *at = bytes; count > 0;) {
        const ssize_t sent = send(socket, at, count, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return false;
        }
        at += sent > 0 ? sent : 0;
        count -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static bool receive_all(int socket, void *bytes, size_t count) {
    for (char *at = bytes; count > 0;) {
        const ssize_t got = recv(socket, at, count, 0);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        at += got > 0 ? got : 0;
        count -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool send_answer(int socket, const struct answer *answer) {
    const char *log = answer->error.log ? answer->error.log : "";
    const struct head head = {*answer, strlen(log)};
    return send_all(socket, &head, sizeof head) &&
           send_all(socket, answer->made.rows, answer->made.count * sizeof *answer->made.rows) &&
           send_all(socket, log, head.log_bytes);
}

static bool receive_answer(int socket, struct answer *answer) {
    struct head head;
    *answer = (struct answer){0};
    if (!receive_all(socket, &head, sizeof head)) {
        return false;
    }
    *answer = head.answer;
    answer->made.rows = memory_zeros(answer->made.count, sizeof *answer->made.rows);
    answer->error.log = head.log_bytes > 0 ? memory_zeros(head.log_bytes + 1, 1) : NULL;
    const bool whole = receive_all(socket, answer->made.rows, answer->made.count * sizeof *answer->made.rows) &&
                       receive_all(socket, answer->error.log, head.log_bytes);
    if (!whole) {
        answer_clear(answer);
    }
    return whole;
}

void answer_clear(struct answer *answer) {
    free(answer->made.rows);
    error_clear(&answer->error);
    *answer = (struct answer){0};
}

// ---- Processes ----

// A number that was given to a worker.
struct given {
    size_t number;
    bool settled, known; // settled: its worker has answered or ended; known: it has answered
    struct answer answer;
};

struct worker {
    pid_t process;
    int socket; // -1: it has ended
    bool busy;
    size_t place; // of its number among those given
};

struct workers {
    struct worker worker[WORKERS_MAX];
    uint32_t count;
    struct given *given; // in the order in which they were given; those that were taken are gone
    size_t given_count, taken;
};

static _Noreturn void work(int socket, pid_t parent, make_answer *make, void *context) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    memory_end_silently(1); // the parent makes the answer itself
    leftover_disown();
    omp_set_num_threads(1);
    size_t number;
    while (getppid() == parent && receive_all(socket, &number, sizeof number)) {
        struct answer answer = {0};
        const double begun_s = clock_s();
        make(number, &answer, context);
        answer.seconds = clock_s() - begun_s;
        if (!send_answer(socket, &answer)) {
            break;
        }
        answer_clear(&answer);
    }
    _exit(0);
}

static bool start(struct workers *workers, make_answer *make, void *context) {
    const pid_t parent = getpid();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return false;
    }
    const pid_t process = fork();
    if (process == 0) {
        for (uint32_t i = 0; i < workers->count; i++) {
            close(workers->worker[i].socket);
        }
        close(ends[0]);
        work(ends[1], parent, make, context);
    }
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return false;
    }
    workers->worker[workers->count++] = (struct worker){.process = process, .socket = ends[0]};
    return true;
}

struct workers *workers_start(uint32_t count, make_answer *make, void *context) {
    const double room = floor((double)cpu_memory().available_bytes / WORKER_BYTES);
    const uint32_t most = (uint32_t)fmin(fmin(count, WORKERS_MAX), room);
    struct workers *workers = memory_zeros(1, sizeof *workers);
    fflush(NULL); // so that no worker writes it again
    while (workers->count < most && start(workers, make, context)) {
    }
    if (workers->count < (count > 1 ? 2 : 1)) {
        workers_end(workers);
        return NULL;
    }
    return workers;
}

static struct given *given_at(const struct workers *workers, size_t place) {
    return &workers->given[place - workers->taken];
}

static void receive(struct workers *workers, struct worker *worker) {
    struct given *given = given_at(workers, worker->place);
    worker->busy = false;
    given->settled = true;
    given->known = receive_answer(worker->socket, &given->answer);
    if (!given->known) {
        close(worker->socket);
        worker->socket = -1;
    }
}

// Receives what busy workers answered, and whether they ended. Waits so many milliseconds for the first; -1: for ever.
static void receive_some(struct workers *workers, int milliseconds) {
    struct pollfd ends[WORKERS_MAX];
    for (uint32_t i = 0; i < workers->count; i++) {
        const struct worker *worker = &workers->worker[i];
        ends[i] = (struct pollfd){.fd = worker->busy ? worker->socket : -1, .events = POLLIN};
    }
    if (poll(ends, workers->count, milliseconds) <= 0) {
        return;
    }
    for (uint32_t i = 0; i < workers->count; i++) {
        if (ends[i].revents) {
            receive(workers, &workers->worker[i]);
        }
    }
}

static struct worker *idle(struct workers *workers) {
    for (uint32_t i = 0; i < workers->count; i++) {
        if (workers->worker[i].socket >= 0 && !workers->worker[i].busy) {
            return &workers->worker[i];
        }
    }
    return NULL;
}

static bool any_busy(const struct workers *workers) {
    bool busy = false;
    for (uint32_t i = 0; i < workers->count; i++) {
        busy |= workers->worker[i].busy;
    }
    return busy;
}

bool workers_idle(struct workers *workers) {
    receive_some(workers, 0);
    return idle(workers) != NULL;
}

bool workers_wait(struct workers *workers) {
    while (!idle(workers) && any_busy(workers)) {
        receive_some(workers, -1);
    }
    return idle(workers) != NULL;
}

void workers_give(struct workers *workers, size_t number) {
    struct worker *worker = idle(workers);
    const size_t place = workers->taken + workers->given_count;
    workers->given = memory_room(workers->given, workers->given_count, sizeof *workers->given);
    workers->given[workers->given_count++] = (struct given){.number = number};
    worker->place = place;
    worker->busy = send_all(worker->socket, &number, sizeof number);
    if (!worker->busy) {
        receive(workers, worker);
    }
}

size_t workers_given(const struct workers *workers) {
    return workers->given_count;
}

bool workers_have_answer(struct workers *workers) {
    receive_some(workers, 0);
    return workers->given_count > 0 && workers->given->settled;
}

bool workers_take(struct workers *workers, size_t *number, struct answer *answer) {
    while (!workers->given->settled) {
        receive_some(workers, -1);
    }
    const bool known = workers->given->known;
    *number = workers->given->number;
    *answer = workers->given->answer;
    workers->given_count--;
    workers->taken++;
    memmove(workers->given, workers->given + 1, workers->given_count * sizeof *workers->given);
    return known;
}

void workers_end(struct workers *workers) {
    for (uint32_t i = 0; i < workers->count; i++) {
        struct worker *worker = &workers->worker[i];
        kill(worker->process, SIGKILL);
        while (waitpid(worker->process, NULL, 0) < 0 && errno == EINTR) {
        }
        if (worker->socket >= 0) {
            close(worker->socket);
        }
    }
    for (size_t i = 0; i < workers->given_count; i++) {
        answer_clear(&workers->given[i].answer);
    }
    free(workers->given);
    free(workers);
}
