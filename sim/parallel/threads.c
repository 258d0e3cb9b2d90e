#include "sim/parallel/threads.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADS_MAX = 32
};
static const double LEAST_S = 0.03;

static uint32_t allowed_processors(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : (uint32_t)count;
}

// The processors that one group may keep busy; the file has the microseconds of a period, or "max", and the period's
// length.
static double group_processors(const char *path) {
    char name[4096 + 64];
    double most = INFINITY, quota, period;
    snprintf(name, sizeof name, "/sys/fs/cgroup%s/cpu.max", path);
    FILE *file = fopen(name, "r");
    if (file) {
        most = fscanf(file, "%lf %lf", &quota, &period) == 2 && period > 0 ? quota / period : INFINITY;
        fclose(file);
    }
    return most;
}

// A group's limit applies to all groups below it, so every group up to the root counts.
static double limited_processors(void) {
    char line[4096];
    double most = INFINITY;
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        char *path = strncmp(line, "0::", 3) == 0 ? line + 3 : NULL, *slash = path;
        if (path) {
            path[strcspn(path, "\n")] = '\0';
        }
        while (slash) {
            most = fmin(most, group_processors(path));
            slash = strrchr(path, '/');
            path[slash ? slash - path : 0] = '\0';
        }
    }
    if (file) {
        fclose(file);
    }
    return most;
}

static bool parse(const char *text, struct sim_threads *threads) {
    char *end;
    const long count = strtol(text, &end, 10);
    threads->count = (uint32_t)count;
    if (end != text && *end == ',') {
        text = end + 1;
        threads->least_s = strtod(text, &end) / 1000;
    }
    return end != text && !*end && count >= 1 && count <= THREADS_MAX && threads->least_s >= 0;
}

enum status sim_threads_find(struct sim_threads *threads, struct error *error) {
    const char *text = getenv("BANKSHOT_SIM_THREADS");
    const double limit = ceil(limited_processors());
    const uint32_t allowed = allowed_processors() < THREADS_MAX ? allowed_processors() : THREADS_MAX;
    *threads = (struct sim_threads){limit < allowed ? (uint32_t)fmax(limit, 1) : allowed, LEAST_S};
    if (text && *text && !parse(text, threads)) {
        return error_set(error, STATUS_USAGE, "BANKSHOT_SIM_THREADS: %.40s is no number from 1 to %d: set one", text,
                         THREADS_MAX);
    }
    return STATUS_OK;
}
