#include "util/processor_wait.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"

struct watched_thread {
    clockid_t clock; // of the time for which it ran
    int schedstat;   // the system's file about it
    double ran_ns, waited_ns;
};

// Linux numbers the clock of a thread after the thread (clock_getcpuclockid does so for processes). Unlike the file
// schedstat it includes the time since the thread began its turn.
static clockid_t clock_of_thread(int thread) {
    enum {
        OF_A_THREAD = 4,
        AS_THE_SCHEDULER_COUNTS = 2
    };
    return (clockid_t)(~(unsigned)thread << 3 | OF_A_THREAD | AS_THE_SCHEDULER_COUNTS);
}

static void read_thread(const struct watched_thread *thread, double *ran_ns, double *waited_ns) {
    struct timespec ran = {0};
    char text[100];
    const ssize_t length = pread(thread->schedstat, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    if (clock_gettime(thread->clock, &ran) != 0 || sscanf(text, "%*s %lf", waited_ns) != 1) { // the thread has ended
        *ran_ns = thread->ran_ns;
        *waited_ns = thread->waited_ns;
        return;
    }
    *ran_ns = (double)ran.tv_sec * 1e9 + (double)ran.tv_nsec;
}

// The longest times of a thread since the last call; blocked_ns stands for the longest that one ran or waited.
static struct processor_loss advance(struct processor_watch *watch) {
    struct processor_loss loss = {0};
    for (size_t i = 0; i < watch->count; i++) {
        struct watched_thread *thread = &watch->threads[i];
        double ran, waited;
        read_thread(thread, &ran, &waited);
        loss.ran_ns = fmax(loss.ran_ns, ran - thread->ran_ns);
        loss.waited_ns = fmax(loss.waited_ns, waited - thread->waited_ns);
        loss.blocked_ns = fmax(loss.blocked_ns, ran - thread->ran_ns + waited - thread->waited_ns);
        thread->ran_ns = ran;
        thread->waited_ns = waited;
    }
    return loss;
}

void processor_watch_begin(struct processor_watch *watch) {
    watch->before_ns = advance(watch).waited_ns;
    watch->began_ns = clock_ns();
}

static void add_thread(struct processor_watch *watch, const char *name) {
    char path[300];
    struct watched_thread *grown = realloc(watch->threads, (watch->count + 1) * sizeof *grown);
    if (!grown) {
        return;
    }
    watch->threads = grown;
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", name);
    grown[watch->count] =
        (struct watched_thread){.clock = clock_of_thread(atoi(name)), .schedstat = open(path, O_RDONLY | O_CLOEXEC)};
    watch->count += grown[watch->count].schedstat >= 0;
}

void processor_watch_open(struct processor_watch *watch) {
    DIR *threads = opendir("/proc/self/task");
    *watch = (struct processor_watch){0};
    for (const struct dirent *thread; threads && (thread = readdir(threads));) {
        if (thread->d_name[0] != '.') {
            add_thread(watch, thread->d_name);
        }
    }
    if (threads) {
        closedir(threads);
    }
    processor_watch_begin(watch);
}

void processor_watch_close(struct processor_watch *watch) {
    for (size_t i = 0; i < watch->count; i++) {
        close(watch->threads[i].schedstat);
    }
    free(watch->threads);
    *watch = (struct processor_watch){0};
}

struct processor_loss processor_watch_end(struct processor_watch *watch) {
    const double passed_ns = clock_ns() - watch->began_ns;
    struct processor_loss loss = advance(watch);
    loss.blocked_ns = watch->count > 0 ? fmax(0, passed_ns - loss.blocked_ns) : 0;
    return loss;
}
