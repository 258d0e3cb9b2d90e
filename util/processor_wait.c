#include "util/processor_wait.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>

// Linux counts a thread's time on a processor and its time in the queue for one, in nanoseconds.
static double thread_wait_s(const char *thread) {
    char path[300];
    double ran_ns, waited_ns;
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", thread);
    FILE *file = fopen(path, "r");
    const int found = file ? fscanf(file, "%lf %lf", &ran_ns, &waited_ns) : 0;
    if (file) {
        fclose(file);
    }
    return found == 2 ? waited_ns / 1e9 : NAN;
}

double processor_wait_s(void) {
    DIR *threads = opendir("/proc/self/task");
    double sum_s = threads ? 0 : NAN;
    for (const struct dirent *thread; threads && (thread = readdir(threads));) {
        if (thread->d_name[0] != '.') {
            sum_s += thread_wait_s(thread->d_name);
        }
    }
    if (threads) {
        closedir(threads);
    }
    return sum_s;
}
