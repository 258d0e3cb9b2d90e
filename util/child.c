#include "util/child.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    RESULT_BYTES_MAX = 256 << 20,
    NO_MEMORY = 125 // how a child ends that cannot begin
};

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Ends with this system call, because a task that calls exit must differ from one that returns.
static _Noreturn void run_task(const struct child_task *task, int results) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    FILE *file = fdopen(results, "w");
    bool written = false;
    if (file) {
        task->run(file, task->context);
        written = fflush(file) == 0 && !ferror(file);
    }
    fflush(stdout);
    for (;;) {
        syscall(SYS_exit, !file ? NO_MEMORY : written ? 0 : 1);
    }
}

// The child's output so far.
struct reading {
    char *bytes;
    size_t count, room;
    double deadline; // 0: none yet
    bool no_memory;  // for the rest of it
};

// False at the end, or if memory runs out.
static bool read_some(struct reading *reading, int from) {
    if (reading->count == reading->room) {
        const size_t room = reading->room ? 2 * reading->room : 1 << 16;
        char *bytes = room <= RESULT_BYTES_MAX ? realloc(reading->bytes, room) : NULL;
        if (!bytes) {
            reading->no_memory = true;
            return false;
        }
        reading->bytes = bytes;
        reading->room = room;
    }
    const ssize_t got = read(from, reading->bytes + reading->count, reading->room - reading->count);
    reading->count += got > 0 ? (size_t)got : 0;
    return got > 0 || (got < 0 && errno == EINTR);
}

// Reads until the child ends; false if its time is over first.
static bool read_all(struct reading *reading, int from, double limit_s) {
    for (;;) {
        const double left = reading->deadline > 0 ? reading->deadline - now_s() : INFINITY;
        struct pollfd poll_from = {.fd = from, .events = POLLIN};
        const int wait_ms = left > 3600 ? 3600 * 1000 : left > 0 ? (int)ceil(left * 1000) : 0;
        const int ready = poll(&poll_from, 1, wait_ms);
        if (ready == 0 && left <= 0) {
            return false;
        }
        if (ready > 0 && !read_some(reading, from)) {
            return true;
        }
        if (reading->count && reading->deadline <= 0) {
            reading->deadline = now_s() + limit_s;
        }
    }
}

static enum status explain_end(const struct child_task *task, int ending, bool in_time, struct error *error) {
    if (!in_time) {
        return error_set(error, STATUS_FAILED, "%s still runs after %g s: it may never end, else allow it more time",
                         task->what, task->limit_s);
    }
    if (WIFSIGNALED(ending)) {
        const int number = WTERMSIG(ending);
        return error_set(error, STATUS_FAILED, "%s ended its process by signal %d (%s)%s", task->what, number,
                         strsignal(number), number == SIGKILL ? ": see that the machine has memory" : "");
    }
    if (WEXITSTATUS(ending) == NO_MEMORY) {
        return error_set(error, STATUS_FAILED, "out of memory for %s: close other programs", task->what);
    }
    if (WEXITSTATUS(ending) != 0) {
        return error_set(error, STATUS_FAILED, "%s ended its process with status %d: see that it does not", task->what,
                         WEXITSTATUS(ending));
    }
    return STATUS_OK;
}

static enum status attend(const struct child_task *task, pid_t child, int from, char **results, size_t *bytes,
                          struct error *error) {
    struct reading reading = {0};
    const bool in_time = read_all(&reading, from, task->limit_s);
    int ending = 0;
    if (!in_time) {
        kill(child, SIGKILL);
    }
    close(from); // ends a child that keeps writing
    while (waitpid(child, &ending, 0) < 0 && errno == EINTR) {
    }
    enum status status = explain_end(task, ending, in_time, error);
    if (reading.no_memory) {
        status = error_set(error, STATUS_FAILED, "out of memory for the results of %s", task->what);
    }
    if (status != STATUS_OK) {
        free(reading.bytes);
        return status;
    }
    *results = reading.bytes;
    *bytes = reading.count;
    return STATUS_OK;
}

enum status child_run(const struct child_task *task, char **results, size_t *bytes, struct error *error) {
    int ends[2];
    *results = NULL;
    *bytes = 0;
    fflush(NULL);
    if (pipe(ends) != 0) {
        return error_set(error, STATUS_FAILED, "cannot make a pipe (%s): close other programs", strerror(errno));
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_task(task, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return error_set(error, STATUS_FAILED, "cannot start a process (%s): close other programs", strerror(errno));
    }
    return attend(task, child, ends[0], results, bytes, error);
}
