#include "util/child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"

enum {
    RESULT_BYTES_MAX = 256 << 20,
    END_POLL_MS = 2,
    NO_MEMORY = 125 // how a child ends that lacks memory
};

// Ends with this system call, because a task that calls exit must differ from one that returns.
static _Noreturn void run_task(const struct child_task *task, int results, int prints) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    memory_end_silently(NO_MEMORY);
    dup2(prints >= 0 ? prints : STDERR_FILENO, STDOUT_FILENO);
    if (prints >= 0) {
        close(prints);
    }
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

// What the child prints is passed on to standard error.
struct printing {
    const struct child_task *task;
    int from;    // -1: nothing more comes
    size_t left; // of the bytes that it may print
    bool cut;
};

static void write_all(const char *bytes, size_t count) {
    while (count > 0) {
        const ssize_t written = write(STDERR_FILENO, bytes, count);
        if (written < 0 && errno != EINTR) {
            return;
        }
        bytes += written > 0 ? written : 0;
        count -= written > 0 ? (size_t)written : 0;
    }
}

// Returns false if there is nothing to read.
static bool pass_on(struct printing *printing) {
    char bytes[1 << 16];
    const ssize_t got = printing->from >= 0 ? read(printing->from, bytes, sizeof bytes) : 0;
    if (got < 0) {
        return errno == EINTR;
    }
    if (got == 0) {
        printing->from = -1; // its owner closes it
        return false;
    }
    const size_t shown = (size_t)got < printing->left ? (size_t)got : printing->left;
    write_all(bytes, shown);
    printing->left -= shown;
    if (shown < (size_t)got && !printing->cut) {
        printing->cut = true;
        fprintf(stderr, "\n%s: %s printed more than %zu bytes: the rest is left out\n", printing->task->program,
                printing->task->what, printing->task->prints_at_most);
    }
    return true;
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

// Reads what the child writes and passes on what it prints, until it ends. A child may close its results and run on.
// False if its time is over first; then it is killed.
static bool read_until_end(struct reading *reading, int from, struct printing *printing, pid_t child, int *ending) {
    const double limit_s = printing->task->limit_s;
    bool in_time = true;
    while (from >= 0 || waitpid(child, ending, WNOHANG) == 0) {
        const double left_s = reading->deadline > 0 ? reading->deadline - clock_s() : INFINITY;
        const int wait_ms = from < 0 ? END_POLL_MS : (int)ceil(fmax(0, fmin(left_s, 3600)) * 1000);
        struct pollfd sources[] = {{.fd = from, .events = POLLIN}, {.fd = printing->from, .events = POLLIN}};
        const int ready = poll(sources, sizeof sources / sizeof *sources, wait_ms);
        if (ready > 0 && sources[1].revents) {
            pass_on(printing);
        }
        const bool over = in_time && left_s <= 0;
        if (over) {
            in_time = false;
            kill(child, SIGKILL);
        }
        if (from >= 0 && (over || (ready > 0 && sources[0].revents && !read_some(reading, from)))) {
            close(from); // ends a child that keeps writing
            from = -1;
        }
        if (reading->deadline <= 0 && (reading->count > 0 || from < 0)) {
            reading->deadline = clock_s() + limit_s;
        }
    }
    while (pass_on(printing)) {
    }
    return in_time;
}

static enum status attend(const struct child_task *task, pid_t child, int from, int prints, char **results,
                          size_t *bytes, struct error *error) {
    struct reading reading = {0};
    struct printing printing = {.task = task, .from = prints, .left = task->prints_at_most};
    int ending = 0;
    const bool in_time = read_until_end(&reading, from, &printing, child, &ending);
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

static void close_both(const int ends[2]) {
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0) {
            close(ends[i]);
        }
    }
}

enum status child_run(const struct child_task *task, char **results, size_t *bytes, struct error *error) {
    int ends[2] = {-1, -1}, prints[2] = {-1, -1};
    *results = NULL;
    *bytes = 0;
    fflush(NULL);
    if (pipe(ends) != 0 || (task->prints_at_most && pipe(prints) != 0)) {
        const int reason = errno;
        close_both(ends);
        return error_set(error, STATUS_FAILED, "cannot make a pipe (%s): close other programs", strerror(reason));
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        if (task->prints_at_most) {
            close(prints[0]);
        }
        run_task(task, ends[1], prints[1]);
    }
    const int reason = errno;
    close(ends[1]);
    if (task->prints_at_most) {
        close(prints[1]);
        fcntl(prints[0], F_SETFL, O_NONBLOCK);
    }
    if (child < 0) {
        close_both((const int[2]){ends[0], prints[0]});
        return error_set(error, STATUS_FAILED, "cannot start a process (%s): close other programs", strerror(reason));
    }
    const enum status status = attend(task, child, ends[0], prints[0], results, bytes, error);
    if (prints[0] >= 0) {
        close(prints[0]);
    }
    return status;
}
